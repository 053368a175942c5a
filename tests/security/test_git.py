"""No program that a repository names is run, and git is run for `--diff-base` alone (test_diff_base.py).

Git runs commands that a repository's configuration names. A clone cannot carry `.git/config`, but an archive can, and
so can a clone in which a directory is itself a bare repository.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Program, clean_environment

TRAINING = """\
import torch


def train(model, loader, optimizer):
    total = 0.0
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total
"""


@pytest.fixture
def stranger(tmp_path: Path) -> Program:
    """trainlint in a stranger's repository with one training script, and nothing of this machine's user."""
    directory = tmp_path / "stranger"
    directory.mkdir()
    (directory / "train.py").write_text(TRAINING)
    environment = clean_environment() | {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    program = Program(directory, environment)
    git(program, "init", "-q")
    return program


def git(program: Program, *arguments: str, directory: str = ".") -> str:
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.invalid", *arguments]
    place = program.directory / directory
    return subprocess.run(
        command, cwd=place, env=dict(program.environment), check=True, capture_output=True, text=True
    ).stdout


QUESTIONS = [
    ("check",),
    ("check", "--no-cache", "-q"),
    ("check", "--show-files", "-v"),
    ("check", "--show-settings"),
    ("check", "--fix", "--unsafe-fixes"),
    ("check", "--diff"),
    ("check", "--output-format", "sarif"),
    ("check", "src"),
    ("check", "src/train.py"),
    ("why", "train.py:11"),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_git_is_never_started(stranger: Program, tmp_path: Path, question: tuple[str, ...]) -> None:
    (stranger.directory / "src").mkdir()
    (stranger.directory / "src" / "train.py").write_text(TRAINING)
    git(stranger, "add", "-A")
    git(stranger, "commit", "-qm", "all")
    (stranger.directory / ".gitignore").write_text("build/\n")
    programs = tmp_path / "programs"
    programs.mkdir()
    started = tmp_path / "started"
    fake = programs / "git"
    fake.write_text(f'#!/bin/sh\necho "$@" >> "{started}"\nexec {shutil.which("git")} "$@"\n')
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    path = os.pathsep.join((str(programs), stranger.environment["PATH"]))
    watched = Program(stranger.directory, {**stranger.environment, "PATH": path})
    git(watched, "--version")
    assert started.read_text() != "", "the test would see git"
    started.unlink()
    result = watched(*question)
    assert result.code in (0, 1), result
    assert not started.exists(), started.read_text()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.fsmonitor", "touch {ran}; false"),
        ("core.sshCommand", "touch {ran}; false"),
        ("core.pager", "touch {ran}; cat"),
        ("core.hooksPath", "{directory}/hooks"),
        ("alias.ls-files", "!touch {ran}"),
        ("diff.external", "touch {ran}"),
        ("filter.lfs.clean", "touch {ran}; cat"),
        ("credential.helper", "!touch {ran}"),
        ("gpg.program", "{directory}/hooks/post-index-change"),
    ],
)
def test_no_program_that_the_configuration_names_is_run(
    stranger: Program, tmp_path: Path, key: str, value: str
) -> None:
    ran = tmp_path / "ran"
    hook = stranger.directory / "hooks" / "post-index-change"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    (stranger.directory / ".gitattributes").write_text("*.py filter=lfs\n")
    git(stranger, "config", key, value.format(ran=ran, directory=stranger.directory))
    assert stranger("check", "--fix").code in (0, 1)
    assert stranger("why", "train.py:11").code in (0, 1)
    assert not ran.exists()


@pytest.mark.parametrize("key", ["core.excludesFile", "include.path", "core.worktree", "core.attributesFile"])
def test_no_file_that_the_configuration_names_is_read(stranger: Program, tmp_path: Path, key: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)  # whoever reads it waits until the time is up
    git(stranger, "config", key, str(pipe))
    result = stranger("check", "--show-files")
    assert (result.code, result.out) == (0, "train.py\n"), result


def test_an_embedded_bare_repository_runs_nothing(stranger: Program, tmp_path: Path) -> None:
    """`src` is a bare repository that lacks an object, and its remote, from which git would fetch it, is a command."""
    ran = tmp_path / "ran"
    inner = stranger.directory / "inner"
    (inner / "a" / "b").mkdir(parents=True)
    for name in ("a/b/t.py", "train.py"):
        (inner / name).write_text(TRAINING)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        git(stranger, *command, directory="inner")
    git(stranger, "sparse-checkout", "init", "--cone", "--sparse-index", directory="inner")
    tree = git(stranger, "rev-parse", "HEAD:a", directory="inner").strip()
    (inner / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    for key, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "evil",
        "remote.evil.promisor": "true",
        "remote.evil.url": ".",
        "remote.evil.uploadpack": f"touch {ran}; git-upload-pack",
        "core.worktree": ".",
        "core.bare": "false",
    }.items():
        git(stranger, "config", key, value, directory="inner")
    bare = stranger.directory / "src"
    shutil.move(inner / ".git", bare)
    shutil.copy(inner / "train.py", bare)
    shutil.rmtree(inner)
    config = (bare / "config").read_text().replace("worktreeConfig = true", "")
    (bare / "config").write_text(config + (bare / "config.worktree").read_text())

    listed = stranger("check", "src", "--isolated", "--no-cache", "--show-files")
    assert (listed.code, listed.out) == (0, "src/train.py\n"), listed
    assert stranger("check", "--fix").code in (0, 1)
    assert not ran.exists()

    command = ["git", "ls-files", "--stage", "--cached", "--others", "--exclude-standard"]
    subprocess.run(command, cwd=bare, env=dict(stranger.environment), check=False, capture_output=True)
    if not ran.exists():
        pytest.skip("the git of this machine does not run the command either, so this shows nothing")


@pytest.mark.parametrize("where", ["exclude", ".gitignore"])
def test_no_pattern_makes_a_run_hang(stranger: Program, where: str) -> None:
    pattern = "*a" * 20 + "b"
    (stranger.directory / ("a" * 200 + ".py")).write_text(TRAINING)
    if where == "exclude":
        (stranger.directory / "trainlint.toml").write_text(f'exclude = ["{pattern}"]\n')
    else:
        (stranger.directory / where).write_text(f"{pattern}\n")
    result = stranger("check", "--show-files")
    assert (result.code, len(result.out.splitlines())) == (0, 2), result
