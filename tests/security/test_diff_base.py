"""`--diff-base` runs git, and no program that a repository names: git is asked for commits and their files alone."""

from __future__ import annotations

import os
import shutil
import stat
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Program, clean_environment
from tests.git_identity import git
from trainlint.history import git as history

TRAINING = """\
import torch


def train(model, loader, optimizer):
    for x in loader:
        loss = model(x.cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())
"""
ALLOWED = {"rev-parse", "merge-base", "ls-tree", "cat-file"}
FLAGS = {
    *("--no-pager", "--no-replace-objects", "--no-optional-locks", "--literal-pathspecs"),
    *("core.fsmonitor=false", f"core.hooksPath={os.devnull}", f"core.attributesFile={os.devnull}"),
    *("safe.bareRepository=explicit", "protocol.allow=never"),
}
"""What the commands above need today, and what others would need that looked at files."""


@pytest.fixture
def clone(tmp_path: Path) -> Program:
    """A stranger's repository with a commit, a changed file, an untracked one and a renamed one."""
    directory = tmp_path / "clone"
    directory.mkdir()
    git(directory, "init", "-q", "-b", "main")
    (directory / ".gitattributes").write_text("*.py filter=evil diff=evil merge=evil\n")
    for name in ("train.py", "old.py"):
        (directory / name).write_text(TRAINING)
    git(directory, "add", "-A")
    git(directory, "commit", "-qm", "x")
    (directory / "train.py").write_text(TRAINING + "# more\n")
    (directory / "old.py").rename(directory / "renamed.py")
    (directory / "new.py").write_text(TRAINING)
    return Program(directory, clean_environment() | {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")})


@pytest.mark.parametrize(
    "key",
    [
        "core.fsmonitor",
        "core.pager",
        "pager.rev-parse",
        "pager.cat-file",
        "alias.rev-parse",
        "alias.merge-base",
        "alias.cat-file",
        "alias.ls-tree",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "merge.evil.driver",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "core.sshCommand",
        "core.gitProxy",
        "core.askPass",
        "core.editor",
        "core.alternateRefsCommand",
        "credential.helper",
        "gpg.program",
        "uploadpack.packObjectsHook",
        "trace2.eventTarget",
    ],
)
def test_no_program_that_the_configuration_names_is_run(clone: Program, tmp_path: Path, key: str) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    program.chmod(0o755)
    git(clone.directory, "config", key, f"!{program}" if key.startswith(("alias.", "credential.")) else str(program))
    assert clone("check", "--diff-base", "main", "--min-confidence", "unlikely").code in (0, 1)
    assert not ran.exists()


@pytest.mark.parametrize("variable", ["HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"])
def test_nothing_is_written_where_the_users_configuration_lies_in_the_repository(
    clone: Program, tmp_path: Path, variable: str
) -> None:
    written, inside = tmp_path / "written", clone.directory / "settings"
    (inside / "git").mkdir(parents=True)
    text = f"[trace2]\n\tnormalTarget = {written}\n\teventTarget = {written}\n\tperfTarget = {written}\n"
    for place in (inside / ".gitconfig", inside / "git" / "config"):
        place.write_text(text)
    value = inside / ".gitconfig" if variable == "GIT_CONFIG_GLOBAL" else inside
    ran = type(clone)(clone.directory, {**clone.environment, variable: str(value)})
    assert ran("check", "--diff-base", "main").code in (0, 1)
    assert not written.exists()


@pytest.mark.parametrize("variable", ["HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"])
def test_no_users_configuration_is_read_from_the_repository(
    clone: Program, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    head = git(clone.directory, "rev-parse", "HEAD")
    (clone.directory / "git").mkdir()
    for place in (clone.directory / ".gitconfig", clone.directory / "git" / "config"):
        place.write_text("[git reads no further\n")
    for name in ("XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"):
        monkeypatch.delenv(name, raising=False)
    value = clone.directory / ".gitconfig" if variable == "GIT_CONFIG_GLOBAL" else clone.directory
    monkeypatch.setenv(variable, str(value))
    assert history.Git(str(clone.directory)).head() == head


def test_the_users_own_configuration_cannot_trace_either(clone: Program, tmp_path: Path) -> None:
    written = tmp_path / "written"
    (tmp_path / ".gitconfig").write_text(f"[trace2]\n\teventTarget = {written}\n")
    assert clone("check", "--diff-base", "main").code in (0, 1)
    assert not written.exists()


def test_no_hook_is_run(clone: Program, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    for where in (clone.directory / ".git" / "hooks", clone.directory / "hooks"):
        where.mkdir(exist_ok=True)
        for name in (
            "post-index-change",
            "reference-transaction",
            "post-checkout",
            "pre-auto-gc",
            "fsmonitor-watchman",
        ):
            hook = where / name
            hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
            hook.chmod(0o755)
    git(clone.directory, "config", "core.hooksPath", str(clone.directory / "hooks"))
    assert clone("check", "--diff-base", "main").code in (0, 1)
    assert not ran.exists()


def test_git_is_asked_for_commits_and_their_files_alone(clone: Program, tmp_path: Path) -> None:
    """The commands are the listed ones, each with the options that keep it from what a repository names."""
    programs = tmp_path / "programs"
    programs.mkdir()
    log = tmp_path / "log"
    fake = programs / "git"
    fake.write_text(
        f'#!/bin/sh\necho "$@" >> "{log}"\nenv | grep ^GIT_ >> "{log}.env"\nexec {shutil.which("git")} "$@"\n'
    )
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    path = os.pathsep.join((str(programs), clone.environment["PATH"]))
    watched = Program(clone.directory, {**clone.environment, "PATH": path, "GIT_DIR": "x", "GIT_CONFIG_COUNT": "0"})
    assert watched("check", "--diff-base", "main", "--min-confidence", "unlikely").code == 0
    lines = log.read_text().splitlines()
    assert {word for line in lines for word in line.split() if word in ALLOWED} == ALLOWED
    for line in lines:
        words = line.split()
        assert set(words) >= FLAGS
        command = next(word for word in words if not word.startswith("-") and "=" not in word)
        assert command in ALLOWED, line
    variables = {line.partition("=")[0] for line in Path(f"{log}.env").read_text().splitlines()}
    assert variables == {
        "GIT_ALLOW_PROTOCOL",
        "GIT_CEILING_DIRECTORIES",
        "GIT_NO_LAZY_FETCH",
        "GIT_TERMINAL_PROMPT",
        "GIT_TRACE2",
        "GIT_TRACE2_EVENT",
        "GIT_TRACE2_PERF",
    }
    log.unlink()
    assert watched("check").code in (0, 1)
    assert not log.exists()


def test_a_git_in_the_repository_is_not_run(clone: Program, tmp_path: Path) -> None:
    """A relative entry of PATH leads into what is judged."""
    ran = tmp_path / "ran"
    fake = clone.directory / "git"
    fake.write_text(f"#!/bin/sh\ntouch {ran}\n")
    fake.chmod(0o755)
    path = os.pathsep.join((".", "", clone.environment["PATH"]))
    found = Program(clone.directory, {**clone.environment, "PATH": path})("check", "--diff-base", "main")
    assert found.code in (0, 1), found
    assert not ran.exists()


def test_a_partial_clone_fetches_nothing(clone: Program, tmp_path: Path) -> None:
    """A commit lacks a file, and the remote from which git would fetch it is a command."""
    ran = tmp_path / "ran"
    blob = git(clone.directory, "rev-parse", "HEAD:train.py")
    git(clone.directory, "config", "core.repositoryformatversion", "1")
    git(clone.directory, "config", "extensions.partialClone", "evil")
    git(clone.directory, "config", "remote.evil.promisor", "true")
    git(clone.directory, "config", "remote.evil.url", ".")
    git(clone.directory, "config", "remote.evil.uploadpack", f"touch {ran}; git-upload-pack")
    (clone.directory / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    found = clone("check", "--diff-base", "main", "--min-confidence", "unlikely")
    assert not ran.exists()
    assert found.code in (0, 1, 2)
    assert found.err.count("\n") <= 1


def test_an_embedded_bare_repository_is_not_taken_for_one(clone: Program, tmp_path: Path) -> None:
    bare = clone.directory / "inner"
    git(tmp_path, "clone", "-q", "--bare", str(clone.directory), str(bare))
    (bare / "train.py").write_text(TRAINING)
    ran = tmp_path / "ran"
    git(bare, "config", "core.fsmonitor", f"touch {ran}")
    assert Program(bare, clone.environment)("check", "--diff-base", "main").code in (0, 1)
    assert not ran.exists()


def test_a_broken_repository_does_not_make_git_look_above_it(clone: Program) -> None:
    inner = clone.directory / "inner"
    (inner / ".git").mkdir(parents=True)
    (inner / "train.py").write_text(TRAINING)
    refused = Program(inner, clone.environment)("check", "--diff-base", "main")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "git takes" in refused.err
    assert "for no repository" in refused.err


def test_a_pipe_that_git_waits_for_ends_the_run_with_a_sentence(
    clone: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with (clone.directory / ".git" / "config").open("a") as stream:
        stream.write(f"[include]\n\tpath = {pipe}\n")
    monkeypatch.setattr(history, "_SECONDS", 0.5)
    started = time.monotonic()
    with pytest.raises(history.GitFailed, match="git took more than"):
        history.Git(str(clone.directory)).merge_base("main")
    assert time.monotonic() - started < 30


def test_more_than_the_bound_is_not_read(clone: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "git"
    fake.write_text("#!/bin/sh\nhead -c 1000 /dev/zero\nexec sleep 60\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((str(tmp_path), os.environ["PATH"])))
    monkeypatch.setattr(history, "_MOST_BYTES", 100)
    monkeypatch.setattr(history, "_SECONDS", 20)
    with pytest.raises(history.GitFailed, match="which is not read"):
        history.Git(str(clone.directory)).files("0" * 40)


def test_a_file_of_a_commit_that_is_too_large_is_left_out(clone: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = history.Git(str(clone.directory))
    [blob] = asked.files_at(asked.merge_base("main"), ["train.py"])
    assert asked.contents([blob.name]) == {blob.name: TRAINING.encode()}
    monkeypatch.setattr(history, "SOURCE_BYTES", 10)
    assert asked.contents([blob.name]) == {}


@pytest.mark.parametrize("path", ["train.py", "*.py", ":(top)train.py", "-r", "../clone/train.py", "a\nb.py"])
def test_paths_are_names_and_no_patterns(clone: Program, path: str) -> None:
    asked = history.Git(str(clone.directory))
    try:
        found = asked.files_at(asked.merge_base("main"), [path])
    except history.GitFailed:
        found = []
    assert [blob.path for blob in found] == (["train.py"] if path == "train.py" else [])
