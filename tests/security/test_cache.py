"""Promise: what lies in a judged tree is never used as a cache, and no cache that somebody else can write is believed.

All of this runs the real program on a clone that an attacker wrote.
"""

from __future__ import annotations

import os
import pickle
import sqlite3
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests import forked

SOURCE = "import torch\n" + "ROW = 1\n" * 3_000 + "scaler = torch.cuda.amp.GradScaler()\n"
"""Less source than this is not worth a cache."""
RESULTS = "results.sqlite"


@dataclass(frozen=True)
class Clone:
    """A repository, and a user with a cache directory."""

    directory: Path
    caches: Path
    variables: tuple[tuple[str, str], ...] = ()

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        inherited = {name: value for name, value in os.environ.items() if name != "TRAINLINT_CACHE_DIR"}
        places = {"XDG_CACHE_HOME": str(self.caches.parent), "PYTHONDONTWRITEBYTECODE": "1"}
        return forked.run_text(arguments, self.directory, {**inherited, **places, **dict(self.variables)})

    def check(self, *arguments: str) -> str:
        """What a run says on stderr, after it found what a run without a cache finds."""
        result = self.run("check", "--verbose", *arguments)
        assert result.returncode == 1, result.stderr
        assert "GradScaler" in result.stdout
        return result.stderr

    @property
    def cache(self) -> Path:
        """The directory of the one cache that was made."""
        [found] = (path for path in self.caches.iterdir() if path.is_dir())
        return found

    @property
    def database(self) -> Path:
        return self.cache / RESULTS


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    directory = tmp_path / "clone"
    directory.mkdir()
    subprocess.run(["git", "init", "--quiet"], cwd=directory, check=True)
    (directory / "train.py").write_text(SOURCE)
    (directory / "requirements.txt").write_text("torch>=2.4\n")
    return Clone(directory, tmp_path / "user/trainlint")


def words(text: str) -> str:
    """A text without the breaks of its lines."""
    return " ".join(text.split())


def changed(path: Path, *statements: str) -> None:
    """Run statements on a database."""
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def snapshot(directory: Path) -> dict[str, tuple[bytes, int]]:
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in directory.rglob("*") if path.is_file()}


def journal_naming(victim: Path, database: Path) -> bytes:
    """A hot journal without pages, of a transaction whose super-journal is the victim. SQLite deletes it."""
    connection = sqlite3.connect(database)
    [page_size] = connection.execute("PRAGMA page_size").fetchone()
    [pages] = connection.execute("PRAGMA page_count").fetchone()
    connection.close()
    magic, name = bytes.fromhex("d9d505f920a163d7"), os.fsencode(victim)
    head = (magic + struct.pack(">IIIII", 0, 1, pages, 512, page_size)).ljust(512, b"\0")
    place = struct.pack(">I", 0x40000000 // page_size + 1)
    return head + place + name + struct.pack(">II", len(name), sum(name) & 0xFFFFFFFF) + magic


def test_the_journal_of_this_attack_does_delete_a_file(tmp_path: Path) -> None:
    """The attack works on whoever opens the database: else the tests below would prove nothing."""
    victim, database = tmp_path / "precious.txt", tmp_path / RESULTS
    victim.write_text("precious")
    changed(database, "CREATE TABLE t (x)")
    database.with_name(f"{RESULTS}-journal").write_bytes(journal_naming(victim, database))
    changed(database, "SELECT * FROM t")
    assert not victim.exists()


def planted(clone: Clone, directory: Path, victim: Path) -> None:
    """A cache that this very version of trainlint wrote for this clone, with a journal that deletes the victim."""
    clone.check()
    directory.mkdir(parents=True)
    (clone.cache / "CACHEDIR.TAG").replace(directory / "CACHEDIR.TAG")
    clone.database.replace(directory / RESULTS)
    clone.cache.rmdir()
    (directory / f"{RESULTS}-journal").write_bytes(journal_naming(victim, directory / RESULTS))


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    victim = tmp_path / "precious.txt"
    victim.write_text("precious")
    return victim


def test_a_committed_cache_is_neither_opened_nor_deleted(clone: Clone, victim: Path) -> None:
    directory = clone.directory / ".trainlint_cache"
    planted(clone, directory, victim)
    (directory / "hidden.py").write_text(SOURCE)
    before = snapshot(directory)
    assert "hidden.py" not in clone.run("check").stdout
    assert "cache: not used" not in clone.check()
    assert clone.run("why", "train.py").returncode == 0
    assert clone.run("clean").returncode == 0
    assert clone.run("clean", "--all").returncode == 0
    assert snapshot(directory) == before
    assert victim.exists()


def test_the_repository_cannot_say_where_the_cache_lies(clone: Clone, victim: Path) -> None:
    planted(clone, clone.directory / "build", victim)
    (clone.directory / "trainlint.toml").write_text('cache-dir = "build"\n')
    result = clone.run("check")
    assert result.returncode == 2
    assert "a repository cannot say where the cache lies: use --cache-dir or TRAINLINT_CACHE_DIR" in words(
        result.stdout
    )
    assert victim.exists()


@pytest.mark.parametrize("way", ["option", "variable", "link", "above"])
def test_a_directory_inside_the_project_is_refused(clone: Clone, tmp_path: Path, way: str) -> None:
    (clone.directory / "src/caches").mkdir(parents=True)
    (tmp_path / "link").symlink_to(clone.directory / "src")
    inside = str(clone.directory / "src/caches")
    runs = {
        "option": lambda: clone.run("check", "--cache-dir", "src/caches"),
        "variable": lambda: replace(clone, variables=(("TRAINLINT_CACHE_DIR", inside),)).run("check"),
        "link": lambda: clone.run("check", "--cache-dir", str(tmp_path / "link/caches")),
        # Judged from elsewhere, by its path.
        "above": lambda: replace(clone, directory=tmp_path).run("check", "clone/train.py", "--cache-dir", inside),
    }
    result = runs[way]()
    assert result.returncode == 2
    assert f"lies in {os.path.realpath(clone.directory)}, which is judged" in result.stderr
    assert result.stdout == ""
    assert not any((clone.directory / "src/caches").iterdir())


@pytest.mark.parametrize("place", [".", "src", "module"])
@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "HOME"])
def test_a_users_cache_directory_inside_the_project_is_not_used(
    clone: Clone, victim: Path, variable: str, place: str
) -> None:
    """As where CI sets HOME to the checkout."""
    directory = clone.directory / place
    directory.mkdir(exist_ok=True)
    for name in ("train.py", "requirements.txt"):
        (clone.directory / name).replace(directory / name)
    if place == "module":
        (directory / ".git").write_text("gitdir: ../.git/modules/module\n")
    home = clone.directory if variable == "HOME" else clone.directory / ".cache"
    variables = ((variable, str(home)),) + ((("XDG_CACHE_HOME", ""),) if variable == "HOME" else ())
    inside = replace(clone, directory=directory, caches=clone.directory / ".cache/trainlint", variables=variables)
    said = inside.check()
    assert f"cache: not used: the user's cache directory {os.path.realpath(inside.caches)} lies in" in said
    assert not inside.caches.exists()


def test_a_trigger_is_not_run(clone: Clone) -> None:
    clone.check()
    changed(
        clone.database,
        "CREATE TRIGGER t AFTER INSERT ON result BEGIN UPDATE result SET value = x'00' WHERE key = NEW.key; END",
    )
    (clone.directory / "train.py").write_text(SOURCE + "\nROW = 2\n")
    clone.check()
    assert "nothing has changed" in clone.check()
    connection = sqlite3.connect(clone.database)
    assert connection.execute("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'").fetchone() == (0,)
    connection.close()


@pytest.mark.slow
def test_a_recursive_view_is_not_asked(clone: Clone) -> None:
    clone.check()
    changed(
        clone.database,
        "ALTER TABLE result RENAME TO other",
        "CREATE VIEW result AS WITH RECURSIVE n(key) AS (SELECT x'' UNION ALL SELECT key || x'00' FROM n) "
        "SELECT key, 1 AS used, x'' AS mark, x'' AS value FROM n",
    )
    clone.check()  # it has a limit of time, which a view that is asked would exceed
    assert "nothing has changed" in clone.check()


class Evil:
    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str, str]]:
        return open, (str(self.file), "w")


@pytest.mark.parametrize("compressed", [False, True])
def test_a_pickled_value_is_not_loaded(clone: Clone, tmp_path: Path, compressed: bool) -> None:
    made = tmp_path / "taken-over"
    data = pickle.dumps(Evil(made))
    pickle.loads(data).close()
    made.unlink()  # the attack works
    clone.check()
    changed(clone.database, f"UPDATE result SET value = x'{(zlib.compress(data) if compressed else data).hex()}'")
    assert "nothing has changed" not in clone.check()
    assert not made.exists()


@pytest.mark.nightly
@pytest.mark.slow
def test_a_compressed_bomb_does_not_fill_the_memory(clone: Clone) -> None:
    """2 GB of blanks, in 2 MB. With at most 1 GB of memory, the run says what it says without a cache."""
    clone.check()
    packing = zlib.compressobj(9)
    bomb = b"".join([packing.compress(bytes(1 << 24)) for _ in range(128)]) + packing.flush()
    connection = sqlite3.connect(clone.database)
    connection.execute("UPDATE result SET value = ?", (bomb,))
    connection.commit()
    connection.close()
    limited = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)); "
        "from trainlint.cli import main; sys.exit(main(['check', '-j1']))"
    )
    result = subprocess.run(
        [sys.executable, "-c", limited],
        cwd=clone.directory,
        env={**os.environ, "TRAINLINT_CACHE_DIR": str(clone.caches)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert result.returncode == 1, result.stderr
    assert "GradScaler" in result.stdout
    assert result.stderr == ""
    assert "nothing has changed" in clone.check(), "what could not be read was made anew"


def test_a_link_in_place_of_the_cache_is_not_followed(clone: Clone, tmp_path: Path, victim: Path) -> None:
    clone.check()
    directory = clone.cache
    planted_there = tmp_path / "elsewhere"
    planted(clone, planted_there, victim)
    directory.symlink_to(planted_there)
    before = snapshot(planted_there)
    assert f"cache: not used: {directory} is a link, which trainlint did not make; delete it" in clone.check()
    assert clone.run("clean").returncode == 2
    assert clone.run("clean", "--all").returncode == 0
    assert snapshot(planted_there) == before
    assert victim.exists()


@pytest.mark.parametrize("name", [RESULTS, f"{RESULTS}-journal", "CACHEDIR.TAG"])
def test_a_link_in_place_of_its_files_is_not_followed(clone: Clone, victim: Path, name: str) -> None:
    clone.check()
    (clone.cache / name).unlink(missing_ok=True)
    (clone.cache / name).symlink_to(victim)
    assert f"{clone.cache / name} is a link" in clone.check()
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
@pytest.mark.parametrize("which", ["cache", "caches"])
def test_a_directory_that_others_can_write_is_not_believed(clone: Clone, victim: Path, which: str, mode: int) -> None:
    clone.check()
    journal = clone.cache / f"{RESULTS}-journal"
    journal.write_bytes(journal_naming(victim, clone.database))
    directory: Path = getattr(clone, which)
    directory.chmod(mode)
    assert f"cache: not used: {directory} can be written by other users" in clone.check()
    assert victim.exists()


@pytest.fixture
def other_user() -> int:
    """The number of another user."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can make files of other users")
    return 54_321


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", RESULTS, ".."])
def test_what_another_user_owns_is_not_believed(clone: Clone, victim: Path, other_user: int, name: str) -> None:
    clone.check()
    journal = clone.cache / f"{RESULTS}-journal"
    journal.write_bytes(journal_naming(victim, clone.database))
    theirs = Path(os.path.normpath(clone.cache / name))
    os.chown(theirs, other_user, -1)
    assert f"cache: not used: {theirs} belongs to another user" in clone.check()
    assert victim.exists()


@pytest.mark.parametrize("home", ["/dev/null/nobody", "file"])
def test_without_a_place_for_a_cache_the_run_goes_on(clone: Clone, tmp_path: Path, home: str) -> None:
    (tmp_path / "file").touch()
    nowhere = replace(clone, variables=(("HOME", str(tmp_path / home)), ("XDG_CACHE_HOME", "")))
    assert "cache: not used: " in nowhere.check()


def without_bytecode(clone: Clone) -> Clone:
    """The same where no bytecode lies, and so no list of rules beside it, whatever other runs have left there."""
    return replace(clone, variables=(*clone.variables, ("PYTHONPYCACHEPREFIX", str(clone.caches.parent / "bytecode"))))


@pytest.mark.slow
def test_the_catalogue_of_rules_is_not_read_from_the_judged_tree(clone: Clone) -> None:
    """It names modules to import. Here it is one that would be believed elsewhere."""
    clone = without_bytecode(clone)
    clone.run("rules")
    inside = replace(clone, variables=(*clone.variables, ("XDG_CACHE_HOME", str(clone.directory / ".cache"))))
    files = list(clone.caches.glob("rules.*.json"))
    assert files, "without bytecode, it is kept in the user's cache directory"
    (clone.directory / ".cache/trainlint").mkdir(parents=True, mode=0o700)
    for file in files:
        file.replace(clone.directory / ".cache/trainlint" / file.name)
    watch = "import sys; from trainlint.catalogue import installed_rules; installed_rules(); print(*sys.modules)"
    for place, imported in ((inside, True), (clone, True), (clone, False)):
        inherited = {name: value for name, value in os.environ.items() if name != "TRAINLINT_CACHE_DIR"}
        places = {"XDG_CACHE_HOME": str(place.caches.parent), "PYTHONDONTWRITEBYTECODE": "1", **dict(place.variables)}
        done = subprocess.run(
            [sys.executable, "-c", watch],
            cwd=clone.directory,
            env={**inherited, **places},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ("trainlint.packs" in done.stdout.split()) is imported


@pytest.mark.slow
def test_nor_where_the_judged_tree_is_named_and_not_the_working_directory(clone: Clone, tmp_path: Path) -> None:
    """As where CI sets HOME to the checkout and works in another directory."""
    clone = without_bytecode(clone)
    clone.run("rules")
    (clone.directory / ".cache/trainlint").mkdir(parents=True, mode=0o700)
    for file in clone.caches.glob("rules.*.json"):
        file.replace(clone.directory / ".cache/trainlint" / file.name)
    watch = (
        "import sys; from trainlint.cli import main; "
        "main(['check', *sys.argv[1:], '--no-cache', '-q', '--exit-zero']); print('trainlint.packs' in sys.modules)"
    )
    inherited = {name: value for name, value in os.environ.items() if name != "TRAINLINT_CACHE_DIR"}
    places = {"XDG_CACHE_HOME": str(clone.directory / ".cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "clean.py").touch()
    for judged, worked_out in ((elsewhere, "False"), (clone.directory, "True")):
        done = subprocess.run(
            [sys.executable, "-c", watch, str(judged)],
            cwd=elsewhere,
            env={**inherited, **dict(clone.variables), **places},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.splitlines()[-1] == worked_out
