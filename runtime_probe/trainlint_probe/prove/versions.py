"""The two versions of a project: a directory, and the texts that take the place of files in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from trainlint.cli.console import UsageError

_SECONDS = 600
"""So long git may take to check out a commit."""

_ELSEWHERE = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"})
"""Variables by which git speaks of a repository to its hooks, whichever directory we name."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the project."""

    name: str
    """In words, as they stand after "before:": "commit 1a2b3c4"."""
    root: Path
    """The directory of the project, by its real path."""
    edits: Mapping[str, bytes] = field(default_factory=dict)
    """By the real path of a file: the text that takes its place."""
    keeps: tuple[Path, ...] = ()
    """Directories outside of the root that it reads and that must stay as they are."""

    def holds(self, path: str) -> bool:
        """Whether a real path lies below the root."""
        return path.startswith(f"{self.root}{os.sep}")

    def below(self, path: str, here: Path = Path()) -> str:
        """A path, as it is named in a directory, from the root on; as it is where it does not lie below the root."""
        real = os.path.realpath(here / path)
        return Path(real).relative_to(self.root).as_posix() if path and self.holds(real) else path

    def text(self, path: Path) -> bytes | None:
        """What stands in a file, named by its path below the root; None where there is none."""
        real = os.path.realpath(self.root / path)
        if real in self.edits:
            return self.edits[real]
        with suppress(OSError):
            return Path(real).read_bytes()
        return None


@contextmanager
def standing_in(directory: Path) -> Iterator[None]:
    """The working directory is another one for a while."""
    here = Path.cwd()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(here)


def other_tree(directory: Path) -> Version:
    """A copy of the project. Raises UsageError where there is none."""
    if not directory.is_dir():
        raise UsageError(f"--before {directory}: there is no such directory")
    return Version(f"the tree {directory}", directory.resolve())


def repository_root() -> Path:
    """The root of the git repository around the working directory. Raises UsageError where there is none."""
    return Path(_git(Path.cwd(), "rev-parse", "--show-toplevel", hint="start it inside of a git repository")).resolve()


@contextmanager
def commit_tree(root: Path, commit: str) -> Iterator[Version]:
    """A commit of a repository, checked out outside of it for as long as the block runs.

    What git does not keep, such as data sets, is linked to, but for Python files: those are a part of the change.
    Raises UsageError where git knows no such commit, or cannot check it out.
    """
    if commit.startswith("-"):
        raise UsageError(f"--against names a branch, a tag or a commit, which {commit!r} is not")
    words = ("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
    name = _git(root, *words, hint=f"--against {commit}: the repository {root} knows no such commit; see `git log`")
    with tempfile.TemporaryDirectory(prefix="trainlint-prove-", ignore_cleanup_errors=True) as directory:
        tree = Path(directory).resolve() / "before"
        _git(root, "worktree", "add", "--detach", "--quiet", str(tree), name, hint="it cannot be checked out")
        try:
            _link_untracked(root, tree)
            yield Version(f"commit {name[:8]}", tree, keeps=(root,))
        finally:
            shutil.rmtree(tree, ignore_errors=True)
            _git(root, "worktree", "prune", hint="the temporary worktree is still listed")


def _link_untracked(root: Path, tree: Path) -> None:
    listed = _git(root, "ls-files", "--others", "--directory", "-z", hint="its files cannot be listed")
    for entry in filter(None, listed.split("\0")):
        path = entry.rstrip("/")
        target = tree / path
        if path.endswith((".py", "__pycache__")) or target.exists() or ".git" in Path(path).parts:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):  # as where a file stands where it needs a directory: the script says what it lacks
            target.symlink_to(root / path)


def _git(directory: Path, *words: str, hint: str) -> str:
    """What git says. Raises UsageError with its own words and the hint where it fails."""
    command: Sequence[str] = ("git", "-c", f"core.hooksPath={os.devnull}", *words)
    try:
        done = subprocess.run(
            command,
            cwd=directory,
            env={name: value for name, value in os.environ.items() if name not in _ELSEWHERE},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except OSError as error:
        raise UsageError(f"git could not be started ({error.strerror}); install it, or give --before DIR") from error
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"`git {words[0]}` took longer than {_SECONDS} s") from error
    if done.returncode:
        said = os.fsdecode(done.stderr).strip().rpartition("\n")[2].removeprefix("fatal: ")
        raise UsageError(f"{hint} ({said})" if said else hint)
    return os.fsdecode(done.stdout).strip()
