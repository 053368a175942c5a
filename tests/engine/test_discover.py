"""From the paths that were named to the files that are judged."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint.engine.discover import SKIPPED_DIRECTORIES, Discovery, discover
from trainlint.paths import shown_path

Write = Callable[..., Path]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    directory = tmp_path / "project"
    directory.mkdir()
    monkeypatch.chdir(directory)
    return directory


def write(*names: str) -> None:
    for name in names:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n")


def git(*arguments: str, directory: str = ".") -> None:
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=directory, check=True, capture_output=True)


def shown(found: Discovery) -> list[str]:
    return [target.shown for target in found.targets]


def everything() -> Discovery:
    return discover([Path()])


@pytest.mark.parametrize("in_git", [False, True], ids=["no git", "git"])
def test_directories_give_their_python_files_in_a_stable_order(project: Path, in_git: bool) -> None:
    write("b.py", "a/z.py", "a/b/c.pyw", "a.py", "notes.txt", "run.ipynb", "stub.pyi", ".hidden/x.py")
    if in_git:
        git("init", "-q")
    found = everything()
    assert shown(found) == [".hidden/x.py", "a.py", "a/b/c.pyw", "a/z.py", "b.py", "run.ipynb"]
    assert found.failures == ()
    assert [target.path for target in found.targets] == [project / name for name in shown(found)]
    assert found.targets[0].size == len("# .hidden/x.py\n")


@pytest.mark.parametrize("in_git", [False, True], ids=["no git", "git"])
@pytest.mark.parametrize("name", sorted(SKIPPED_DIRECTORIES - {".git"}))
def test_directories_that_hold_no_code_of_the_users_are_skipped_unless_named(
    project: Path, name: str, in_git: bool
) -> None:
    if in_git:
        git("init", "-q")
    write("train.py", f"{name}/inner.py", f"deep/{name}/inner.py")
    found = everything()
    assert shown(found) == ["train.py"]
    assert found.excluded == tuple(sorted((name, f"deep/{name}")))
    assert shown(discover([Path(name)])) == [f"{name}/inner.py"]
    assert shown(discover([Path(name) / "inner.py"])) == [f"{name}/inner.py"]
    assert shown(discover([Path(), Path(name)])) == sorted(["train.py", f"{name}/inner.py"])


def test_gits_ignores_are_honoured(project: Path) -> None:
    git("init", "-q")
    Path(".gitignore").write_text("generated/\n*_pb2.py\n!kept_pb2.py\n")
    write("train.py", "generated/a.py", "x_pb2.py", "kept_pb2.py", "inner/b.py", "inner/c.py")
    Path("inner/.gitignore").write_text("/c.py\n")
    Path(".git/info/exclude").write_text("local.py\n")
    write("local.py")
    assert shown(everything()) == ["inner/b.py", "kept_pb2.py", "train.py"]
    assert shown(discover([Path("inner")])) == ["inner/b.py"]


def test_ignored_files_are_judged_only_when_they_are_named(project: Path) -> None:
    git("init", "-q")
    Path(".gitignore").write_text("*_old.py\n")
    write("train.py", "tracked_old.py", "out/deep/ignored_old.py")
    git("add", "-f", "tracked_old.py")
    assert shown(everything()) == ["train.py"]
    assert shown(discover([Path("tracked_old.py")])) == ["tracked_old.py"]


def test_an_ignored_directory_is_walked_when_it_is_named(project: Path) -> None:
    git("init", "-q")
    Path(".gitignore").write_text("out/\n")
    write("out/a.py", "out/deep/b.py")
    assert shown(discover([Path("out")])) == ["out/a.py", "out/deep/b.py"]
    assert shown(discover([Path("out/deep")])) == ["out/deep/b.py"]


def test_a_tracked_file_that_is_gone_is_no_failure(project: Path) -> None:
    git("init", "-q")
    write("kept.py", "gone.py")
    git("add", "-A")
    Path("gone.py").unlink()
    found = everything()
    assert (shown(found), found.failures) == (["kept.py"], ())


def test_repositories_inside_are_asked_themselves(project: Path) -> None:
    git("init", "-q")
    write("train.py", "vendored/a.py", "vendored/ignored.py", "elsewhere/lib.py")
    git("init", "-q", directory="vendored")
    Path("vendored/.gitignore").write_text("ignored.py\n")
    git("init", "-q", directory="elsewhere")
    git("add", "-A", directory="elsewhere")
    git("commit", "-qm", "lib", directory="elsewhere")
    git("-c", "protocol.file.allow=always", "submodule", "add", "./elsewhere", "sub")
    assert shown(everything()) == ["elsewhere/lib.py", "sub/lib.py", "train.py", "vendored/a.py"]


def test_names_of_any_kind_are_found(project: Path) -> None:
    git("init", "-q")
    names = ["ünïcode.py", "with space.py", 'quo"te.py', "new\nline.py", "-dash.py", "100644 abc 0.py", "tab\t.py"]
    write(*names)
    git("add", "ünïcode.py", "new\nline.py", "tab\t.py")
    assert shown(everything()) == sorted(names)


def test_a_hooks_own_git_variables_do_not_mislead(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("inner/train.py", "inner/ignored.py", "outer.py")
    git("init", "-q")
    git("init", "-q", directory="inner")
    Path("inner/.gitignore").write_text("ignored.py\n")
    monkeypatch.setenv("GIT_DIR", str(project / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(project / ".git" / "index"))
    assert shown(discover([Path("inner")])) == ["inner/train.py"]


def test_outside_of_repositories_ignore_files_are_not_read(project: Path) -> None:
    write("train.py", "ignored.py", "build/lib.py", "clone/train.py", "clone/ignored.py")
    Path(".gitignore").write_text("ignored.py\n")
    git("init", "-q", directory="clone")
    Path("clone/.gitignore").write_text("ignored.py\n")
    found = everything()
    assert shown(found) == ["clone/train.py", "ignored.py", "train.py"]
    assert found.notes == (".: it is in no git repository, so .gitignore files outside of repositories are not read",)


def test_in_an_ignored_directory_that_is_named_its_own_ignore_files_hold(project: Path) -> None:
    git("init", "-q")
    Path(".gitignore").write_text("*\n")
    write("out/a.py", "out/b.py", "out/deep/b.py", "out/deep/c.py")
    Path("out/.gitignore").write_text("b.py\n")
    assert everything().targets == ()
    assert shown(discover([Path("out")])) == ["out/a.py", "out/deep/c.py"]


def test_a_directory_that_looks_like_a_bare_repository_is_walked(project: Path) -> None:
    git("init", "-q")
    git("init", "-q", "--bare", "src")
    write("src/train.py", "src/ignored.py")
    Path(".gitignore").write_text("ignored.py\n")
    assert shown(everything()) == ["src/train.py"]
    assert shown(discover([Path("src")])) == ["src/train.py"]


def test_through_a_link_the_repository_that_it_leads_to_counts(project: Path) -> None:
    git("init", "-q")
    Path(".gitignore").write_text("here.py\n")
    write("there/sub/here.py", "there/sub/ignored.py")
    git("init", "-q", directory="there")
    Path("there/.gitignore").write_text("ignored.py\n")
    Path("linked").symlink_to("there/sub")
    assert shown(discover([Path("linked")])) == ["linked/here.py"]


@pytest.mark.parametrize("in_git", [False, True], ids=["no git", "git"])
def test_the_configuration_excludes_files_and_directories(project: Path, in_git: bool) -> None:
    if in_git:
        git("init", "-q")
    write("train.py", "old/a.py", "old/deep/b.py", "keep/old.py")
    asked = {project / "old", project / "keep" / "old.py"}
    found = discover([Path()], lambda path: path in asked)
    assert shown(found) == ["train.py"]
    assert found.excluded == ("keep/old.py", "old")
    assert shown(discover([Path("old")], lambda path: path in asked)) == ["old/a.py", "old/deep/b.py"]
    assert shown(discover([Path("keep/old.py")], lambda path: path in asked)) == ["keep/old.py"]


def test_named_paths_are_judged_without_a_look_at_the_excludes(project: Path) -> None:
    write("old/a.py")
    asked: list[Path] = []

    def excluded(path: Path) -> bool:
        asked.append(path)
        return True

    assert shown(discover([Path("old/a.py")], excluded)) == ["old/a.py"]
    assert asked == []


def test_force_exclude_holds_for_named_paths_too(project: Path) -> None:
    write("train.py", "old/deep/b.py", "build/c.py")
    named = [Path("train.py"), Path("old/deep/b.py"), Path("old/deep"), Path("build/c.py")]
    found = discover(named, lambda path: path == project / "old", force_exclude=lambda path: True)
    assert shown(found) == ["train.py"]
    assert found.excluded == ("build/c.py", "old/deep", "old/deep/b.py")
    only = discover([Path("build/c.py")], force_exclude=lambda path: True)
    assert (only.targets, only.failures) == ((), ())


def test_each_file_is_found_once_by_its_own_name(project: Path) -> None:
    write("shared/z.py")
    Path("a.py").symlink_to("shared/z.py")
    Path("b.py").symlink_to("shared/z.py")
    Path("also").symlink_to("shared")
    assert shown(everything()) == ["shared/z.py"]
    assert shown(discover([Path("b.py"), Path("a.py")])) == ["a.py"]
    assert shown(discover([Path("also/z.py"), Path("shared/z.py"), Path(), Path("shared/../shared")])) == ["also/z.py"]


@pytest.mark.parametrize("in_git", [False, True], ids=["no git", "git"])
@pytest.mark.parametrize("name", ["link.py", "deepspeed.json"])
def test_links_out_of_the_project_are_judged_only_when_they_are_named(
    project: Path, tmp_path: Path, name: str, in_git: bool
) -> None:
    if in_git:
        git("init", "-q")
    write("train.py", "inner/a.py")
    (tmp_path / "outside").write_text('{"zero_optimization": {}}')
    (project / "inner" / name).symlink_to(tmp_path / "outside")
    (project / "inner" / f"within_{name}").symlink_to(project / "train.py")
    found = everything()
    assert shown(found) == ["inner/a.py", "train.py"]
    told = f"inner/{name}: it is a link to a file outside of the project; it is judged only when it is named"
    assert told in found.notes
    assert found.failures == ()
    assert shown(discover([Path("inner", name)])) == [f"inner/{name}"]


def test_a_link_within_the_project_is_judged_when_a_part_is_searched(project: Path) -> None:
    write("pyproject.toml", "inner/a.py", "train.py")
    Path("inner/link.py").symlink_to("../train.py")
    assert shown(discover([Path("inner")])) == ["inner/a.py", "inner/link.py"]


def test_a_link_out_of_the_project_that_leads_nowhere_tells_nothing(project: Path, tmp_path: Path) -> None:
    write("train.py")
    Path("link.py").symlink_to(tmp_path / "nothing")
    found = everything()
    assert (shown(found), found.failures) == (["train.py"], ())


@pytest.mark.parametrize("large", ["inner/.gitignore", ".git/info/exclude"])
def test_an_ignore_file_that_is_too_large_is_a_failure(project: Path, large: str) -> None:
    git("init", "-q")
    write("inner/train.py")
    Path(large).write_text("x.py\n" * 50_000)
    found = everything()
    assert shown(found) == ["inner/train.py"]
    [failure] = found.failures
    assert failure.path == large
    assert failure.reason.startswith("it cannot be read (it is larger than 200,000 bytes)")


def test_an_ignore_file_that_is_a_link_is_not_read_as_git_does_not(project: Path, tmp_path: Path) -> None:
    git("init", "-q")
    write("train.py")
    (tmp_path / "rules").write_text("train.py\n")
    Path(".gitignore").symlink_to(tmp_path / "rules")
    found = everything()
    assert shown(found) == ["train.py"]
    assert found.notes == (".gitignore: the ignore file is a link, so it is not read, as git does not either",)


def test_a_pipe_for_an_ignore_file_is_not_waited_for(project: Path) -> None:
    git("init", "-q")
    write("train.py")
    os.mkfifo(".gitignore")
    found = everything()
    assert shown(found) == ["train.py"]
    assert "no ordinary file" in found.failures[0].reason


def test_a_linked_directory_is_walked_only_when_it_is_named(project: Path, tmp_path: Path) -> None:
    write("train.py")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "lib.py").write_text("")
    Path("linked").symlink_to(tmp_path / "outside")
    Path("around").symlink_to(".")
    assert shown(everything()) == ["train.py"]
    assert shown(discover([Path("linked")])) == ["linked/lib.py"]


def test_what_cannot_be_judged_is_named(project: Path) -> None:
    write("x.py/inner.py", "empty/notes.txt", "file.py")
    Path("broken.py").symlink_to("nowhere")
    reasons = {
        failure.path: failure.reason
        for failure in discover([Path(), Path("nowhere.py"), Path("file.py/below.py")]).failures
    }
    assert list(reasons) == ["broken.py", "file.py/below.py", "nowhere.py", "x.py"]
    assert "leads nowhere" in reasons["broken.py"]
    assert "does not exist" in reasons["file.py/below.py"]
    assert "does not exist" in reasons["nowhere.py"]
    assert "is a directory" in reasons["x.py"]
    (nothing,) = discover([Path("empty")]).failures
    assert nothing.path == "empty"
    assert nothing.reason.startswith("there is no Python file")


@given(st.lists(st.sampled_from(["a", "b", "build", "x.py", ".venv", "..", "."]), min_size=1, max_size=4))
@settings(max_examples=50)
def test_shown_paths_lead_back_to_the_file(parts: list[str]) -> None:
    here = Path("/home/someone/project")
    path = Path("/home/someone/project", *[part for part in parts if part not in ("..", ".")])
    assert here / shown_path(path, here) == path
    assert shown_path(Path("/home/someone/projects/a.py"), here) == "/home/someone/projects/a.py"
    assert shown_path(path, Path("/")) == str(path)[1:]


def test_a_submodule_that_was_never_checked_out_is_empty(project: Path) -> None:
    write("lib/a.py", "whole/train.py")
    git("init", "-q", directory="lib")
    git("add", "-A", directory="lib")
    git("commit", "-qm", "lib", directory="lib")
    git("init", "-q", directory="whole")
    git("-c", "protocol.file.allow=always", "submodule", "add", "../lib", "sub", directory="whole")
    git("add", "-A", directory="whole")
    git("commit", "-qm", "whole", directory="whole")
    git("clone", "-q", "whole", "copy")
    assert (project / "copy" / "sub").is_dir()
    assert shown(discover([Path("copy")])) == ["copy/train.py"]
