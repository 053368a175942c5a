"""Which files of ignore rules are read beside those of the tree: compared with real git."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from trainlint.engine.discover import Discovery, discover
from trainlint.gitignore.git_config import settings
from trainlint.gitignore.sources import repository_at


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory, and a repository beside it that is the working directory."""
    home = tmp_path / "home"
    (home / ".config" / "git").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"):
        monkeypatch.delenv(name, raising=False)
    repository = tmp_path / "repository"
    repository.mkdir()
    monkeypatch.chdir(repository)
    git("init", "-q")
    for name in ("train.py", "mine.py", "other.py", "sub/mine.py"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
    return home


def git(*arguments: str, directory: str | Path = ".") -> str:
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"]
    command = ["git", *identity, *arguments]
    return subprocess.run(command, cwd=directory, check=True, capture_output=True, text=True).stdout


def kept(directory: str | Path = ".") -> list[str]:
    """The files that are found, which are those that git lists."""
    found = discover([Path(directory)])
    here = Path(directory).resolve()
    names = [target.path.resolve().relative_to(here).as_posix() for target in found.targets]
    listed = git("ls-files", "--others", "--cached", "--exclude-standard", directory=directory).splitlines()
    assert names == sorted(name for name in listed if name.endswith(".py"))
    return names


ALL = ["mine.py", "other.py", "sub/mine.py", "train.py"]
WITHOUT_MINE = ["other.py", "train.py"]


def test_gits_usual_file_of_the_user(home: Path) -> None:
    assert kept() == ALL
    (home / ".config/git/ignore").write_text("mine.py\n")
    assert kept() == WITHOUT_MINE
    assert kept("sub") == []


def test_the_file_that_the_users_configuration_names(home: Path) -> None:
    (home / ".config/git/ignore").write_text("other.py\n")
    (home / "rules").write_text("mine.py\n")
    (home / ".config/git/config").write_text("[core]\n\texcludesFile = /nowhere\n")
    (home / ".gitconfig").write_text('[user]\n\tname = A\n[Core] ; mine\n\tExcludesFile = "~/rules" # so there\n')
    assert kept() == WITHOUT_MINE
    (home / ".gitconfig").write_text("[core]\n\texcludesFile =\n")
    assert kept() == ALL


def test_what_the_users_configuration_includes(home: Path) -> None:
    (home / "rules").write_text("mine.py\n")
    (home / ".gitconfig").write_text("[include]\n\tpath = more/of it\n")
    (home / "more").mkdir()
    (home / "more/of it").write_text(f"[core] excludesFile = {home}/rules\n")
    assert kept() == WITHOUT_MINE


def test_configuration_that_includes_itself_ends(home: Path) -> None:
    (home / ".gitconfig").write_text("[include]\n\tpath = .gitconfig\n")
    assert len(discover([Path()]).targets) == len(ALL)


def test_without_a_home_nothing_of_the_working_directory_is_taken_for_the_users_own(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("rules").write_text("*.py\n")
    Path(".gitconfig").write_text(f"[core]\n\texcludesFile = {Path('rules').resolve()}\n")
    monkeypatch.setenv("HOME", ".")
    assert len(discover([Path()]).targets) == len(ALL)
    monkeypatch.setenv("HOME", str(Path().resolve()))
    assert discover([Path()]).targets == (), "the file would be understood"


@pytest.mark.usefixtures("permissions")
@pytest.mark.parametrize("name", [".gitconfig", ".config/git/ignore"])
def test_what_the_user_may_not_open_is_noted(home: Path, name: str) -> None:
    (home / name).touch(mode=0)
    found = discover([Path()])
    assert len(found.targets) == len(ALL)
    assert found.failures == ()
    assert any(name in note for note in found.notes)


def test_the_repository_names_no_file(home: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("*.py\n")
    git("config", "core.excludesFile", str(tmp_path / "secret"))
    assert len(discover([Path()]).targets) == len(ALL)


def test_a_path_from_the_working_tree_is_not_the_users_own(home: Path) -> None:
    Path("rules").write_text("*.py\n")
    (home / ".gitconfig").write_text("[core]\n\texcludesFile = rules\n")
    assert len(discover([Path()]).targets) == len(ALL)


def test_the_users_file_is_the_weakest_and_info_exclude_comes_next(home: Path) -> None:
    (home / ".config/git/ignore").write_text("mine.py\nother.py\ntrain.py\n")
    Path(".git/info/exclude").write_text("!other.py\n!train.py\n")
    Path(".gitignore").write_text("train.py\n")
    assert kept() == ["other.py"]


def test_a_users_file_that_is_too_large_is_a_failure(home: Path) -> None:
    (home / ".config/git/ignore").write_text("x\n" * 200_000)
    [failure] = discover([Path()]).failures
    assert failure.path == str(home / ".config/git/ignore")
    (home / ".config/git/ignore").unlink()
    (home / ".gitconfig").write_text("#\n" * 200_000)
    [failure] = discover([Path()]).failures
    assert failure.path == str(home / ".gitconfig")


def test_a_linked_working_tree_shares_info_exclude(home: Path) -> None:
    git("add", "-A")
    git("commit", "-qm", "all")
    Path(".git/info/exclude").write_text("mine.py\n")
    git("worktree", "add", "-q", "../linked")
    (Path("../linked/sub") / "new.py").touch()
    Path("../linked/mine.py").unlink()
    Path("../linked/other").mkdir()
    Path("../linked/other/mine.py").touch()
    found = discover([Path("../linked")])
    assert names(found) == ["other.py", "new.py", "train.py"]
    assert repository_at(str(Path("../linked").resolve())).exclude_file == str(Path(".git/info/exclude").resolve())


def test_a_submodule_has_an_info_exclude_of_its_own(home: Path) -> None:
    git("add", "-A")
    git("commit", "-qm", "all")
    whole = home.parent / "whole"
    whole.mkdir()
    git("init", "-q", directory=whole)
    git("-c", "protocol.file.allow=always", "submodule", "add", "../repository", "part", directory=whole)
    (whole / ".git/modules/part/info/exclude").write_text("other.py\n")
    assert names(discover([whole])) == ["mine.py", "mine.py", "train.py"]


@pytest.mark.parametrize("kind", ["worktrees/stolen", "modules/stolen"])
def test_a_git_file_that_nothing_confirms_is_not_followed(home: Path, kind: str) -> None:
    elsewhere = home / "elsewhere"
    directory = elsewhere / kind
    (elsewhere / "info").mkdir(parents=True)
    (directory / "info").mkdir(parents=True)
    for place in (elsewhere, directory):
        (place / "info/exclude").write_text("*.py\n")
    (directory / "gitdir").write_text("/another/working/tree/.git\n")
    (directory / "config").write_text("[core]\n\tworktree = /another/working/tree\n")
    Path("sub/.git").write_text(f"gitdir: {directory}\n")
    assert names(discover([Path("sub")])) == ["mine.py"]
    (directory / "gitdir").write_text(f"{Path('sub/.git').resolve()}\n")
    (directory / "config").write_text(f"[core]\n\tworktree = {Path('sub').resolve()}\n")
    assert discover([Path("sub")]).targets == ()


@pytest.mark.parametrize("linked", [".git", ".git/info/exclude"])
def test_info_exclude_outside_of_the_repository_is_not_read(home: Path, linked: str) -> None:
    (home / "info").mkdir()
    for place in (home / "info/exclude", home / "exclude"):
        place.write_text("*.py\n")
    if linked == ".git":
        Path(".git").rename("was")
        Path(".git").symlink_to(home)
    else:
        Path(linked).unlink()
        Path(linked).symlink_to(home / "exclude")
    assert len(discover([Path()]).targets) == len(ALL)


@pytest.mark.parametrize("linked", [False, True])
def test_settings_outside_of_the_repository_are_not_read(home: Path, linked: bool) -> None:
    (home / "config").write_text("[core]\n\tignoreCase = true\n")
    place = Path(".git/config")
    place.unlink()
    if linked:
        place.symlink_to(home / "config")
    else:
        shutil.copy(home / "config", place)
    assert repository_at(str(Path.cwd())).ignore_case is not linked


def test_settings_are_read_as_git_reads_them(home: Path) -> None:
    text = (
        '\ufeff; comment\n[A]\n\tone = 1 # comment\n  two="a # b" c \n[b "X y"] three\n[c]four = \\\\ \\t\\\n'
        '  five \\\n\nSix = "  " \n[e]\r\nseven = 7\r\n'
    )
    (home / "file").write_text(text, newline="")
    listed = git("config", "--file", str(home / "file"), "--list", "--null").split("\0")[:-1]
    by_git = [(key, value if found else "true") for key, found, value in (entry.partition("\n") for entry in listed)]
    read = [(f"{section}.{key}", value) for section, key, value in settings((home / "file").read_bytes())]
    assert read == by_git


def names(found: Discovery) -> list[str]:
    assert found.failures == ()
    return [target.path.name for target in found.targets]
