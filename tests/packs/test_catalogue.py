"""The catalogue says of every rule what the rule says itself, and is believed only while nothing has changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import platformdirs
import pytest

from tests.environments import REPOSITORY, new_environment, python_of
from tests.packs.test_packs import install, rule
from trainlint.catalogue import installed_rules
from trainlint.packs import load_rules

SAY = """\
import json, sys
from trainlint.catalogue import installed_rules
from trainlint.installation.distributions import PackError
try:
    found = [[rule.code, rule.name, sorted(rule.triggers.calls)] for rule in installed_rules()]
except PackError as error:
    found = str(error)
print(json.dumps([found, "acme_rules.slow" in sys.modules]))
"""


class Installation:
    """trainlint and rule packs, in a Python that sees nothing else, and a cache directory for its user."""

    def __init__(self, directory: Path, compiled: Path | None = None) -> None:
        self.directory = directory
        self.site = new_environment(directory / "environment", REPOSITORY)
        self.caches = directory / "caches"
        self.environment = {
            "XDG_CACHE_HOME": str(self.caches),
            "LOCALAPPDATA": str(self.caches),
            "HOME": str(directory),
        }
        self.environment |= {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        self.environment["PYTHONPYCACHEPREFIX"] = str(directory / "bytecode")
        if compiled is not None:
            shutil.copytree(compiled, directory / "bytecode", copy_function=os.link)
        self.site.mkdir(parents=True, exist_ok=True)
        # The one other package that is needed here.
        (self.site / "platformdirs").symlink_to(Path(platformdirs.__file__).parent)

    def say(self, program: str = SAY) -> tuple[object, bool]:
        """What is installed, or what is wrong with it, and whether a rule was imported to tell."""
        done = subprocess.run(
            [python_of(self.site), "-c", program],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.site,
            env=self.environment,
        )
        assert done.returncode == 0, done.stderr
        found, imported = json.loads(done.stdout)
        return found, imported

    def kept(self) -> list[Path]:
        """The files that hold the catalogue."""
        return sorted(path for path in self.directory.rglob("rules.*.json"))


SLOW = [["ACME001", "slow-call", ["slow"]]]


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Bytecode of what is imported, which each installation would take half a second to make."""
    first = Installation(tmp_path_factory.mktemp("first"))
    first.say()
    for file in first.kept():
        file.unlink()
    return first.directory / "bytecode"


@pytest.fixture
def acme(tmp_path: Path, compiled: Path) -> Installation:
    """One pack with one rule."""
    installation = Installation(tmp_path, compiled)
    install(installation.site, "acme_rules", {"__init__.py": "", "slow.py": rule()})
    return installation


def test_the_catalogue_says_what_rules_say_themselves() -> None:
    entries = installed_rules()
    assert [entry.loaded() for entry in entries] == list(load_rules())
    for entry in entries:
        known = entry.loaded()
        for name in ("code", "name", "summary", "severity", "triggers", "fix_safety", "preview", "aliases"):
            assert getattr(entry, name) == getattr(known, name), (entry.code, name)
        assert (entry.of_engine, entry.of_run, entry.module) == (known.of_engine, known.of_run, known.module)


def test_the_second_run_imports_no_rule(acme: Installation) -> None:
    assert acme.say() == (SLOW, True)
    assert acme.say() == (SLOW, False)


def test_it_lies_with_the_bytecode(acme: Installation) -> None:
    acme.say()
    [file] = acme.kept()
    assert file.is_relative_to(acme.environment["PYTHONPYCACHEPREFIX"])


def test_it_lies_with_the_users_caches_where_no_bytecode_is_to_be_written(acme: Installation) -> None:
    acme.environment["PYTHONDONTWRITEBYTECODE"] = "1"
    acme.say()
    [file] = acme.kept()
    assert file.is_relative_to(acme.caches)
    assert acme.say() == (SLOW, False)


def test_where_nothing_can_be_written_rules_are_imported_each_time(acme: Installation) -> None:
    acme.environment["PYTHONDONTWRITEBYTECODE"] = "1"
    acme.caches.write_text("a file stands where the directory would")
    assert [acme.say(), acme.say()] == [(SLOW, True), (SLOW, True)]


def test_a_rule_that_changes_is_imported_anew(acme: Installation) -> None:
    acme.say()
    (acme.site / "acme_rules/slow.py").write_text(rule(name="slower-call"))
    assert acme.say() == ([["ACME001", "slower-call", ["slow"]]], True)


def test_a_pack_that_comes_or_goes_is_seen(acme: Installation) -> None:
    acme.say()
    install(acme.site, "more_rules", {"__init__.py": rule("MORE001", "more-calls")})
    assert acme.say()[0] == [*SLOW, ["MORE001", "more-calls", ["slow"]]]
    for file in (acme.site / "more_rules-1.0.dist-info").iterdir():
        file.unlink()
    assert acme.say()[0] == SLOW


def test_what_rules_import_from_elsewhere_counts(acme: Installation) -> None:
    words = acme.site / "acme_words.py"
    words.write_text("CALL = 'slow'\n")
    text = rule().replace('{"slow"}', "{acme_words.CALL}")
    (acme.site / "acme_rules/slow.py").write_text(f"import acme_words\n{text}")
    assert acme.say() == (SLOW, True)
    assert acme.say() == (SLOW, False)
    words.write_text("CALL = 'slower'\n")
    assert acme.say() == ([["ACME001", "slow-call", ["slower"]]], True)


def test_a_file_that_is_not_whole_is_not_believed(acme: Installation) -> None:
    acme.say()
    [file] = acme.kept()
    whole = file.read_bytes()
    no_catalogues = (b"", b"{}", b"\xff\xfe", b"0123456789abcdef\n{}")
    for damaged in (*no_catalogues, whole[: len(whole) // 2], whole.replace(b"slow-call", b"fast-call")):
        file.write_bytes(damaged)
        assert acme.say() == (SLOW, True)
    assert acme.say() == (SLOW, False)


BROKEN = [
    ("broken.py", "import acme_is_not_installed\n", "module acme_rules.broken does not import"),
    ("io/b.py", rule("ACME002", "slow-read"), "holds modules but no __init__.py"),
    ("same.py", rule("ACME001", "other-call"), "two rules have the code ACME001"),
    ("wrong.py", rule("acme-1"), "its code is not a prefix and three digits"),
]


def test_what_is_wrong_is_said_each_time_and_not_kept(acme: Installation) -> None:
    for name, text, words in BROKEN:
        path = acme.site / "acme_rules" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        said = [acme.say()[0] for _ in range(2)]
        assert said[0] == said[1]
        assert words in str(said[0])
        path.unlink()
    assert acme.say()[0] == SLOW


def test_a_pack_that_is_gone_is_an_error(acme: Installation) -> None:
    acme.say()
    (acme.site / "acme_rules").rename(acme.site / "other_rules")
    assert "module acme_rules does not import" in str(acme.say()[0])


def test_two_processes_may_write_at_once(acme: Installation) -> None:
    command = [python_of(acme.site), "-c", SAY]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, cwd=acme.site, env=acme.environment) for _ in range(3)]
    assert {json.dumps(json.loads(process.communicate()[0])[0]) for process in running} == {json.dumps(SLOW)}
    assert acme.say() == (SLOW, False)
    assert len(acme.kept()) == 1
    assert [path.name for path in acme.kept()[0].parent.iterdir() if path.name.startswith(".trainlint-")] == []
