"""What git knows of a directory."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from trainlint.records import dataclass

_STAGED = re.compile(r"(\d{6}) [0-9a-f]+ \d\t")
_SUBMODULE = "160000"
_UNSEEN = re.compile(r"could not open directory '(.*?)/?'")


@dataclass(frozen=True, slots=True)
class Listing:
    """What belongs to a project below one directory."""

    files: tuple[str, ...]
    """Relative to the directory that was listed. A tracked file may be gone from the disk."""
    repositories: tuple[str, ...]
    """Submodules, and repositories of their own."""
    unseen: tuple[str, ...]
    """Directories that git may not open."""


def git_listing(directory: Path) -> Listing | None:
    """What git tracks below a directory, or would track; None where git cannot tell or ignores the directory itself."""
    done = _git(directory, "ls-files", "-z", "--stage", "--cached", "--others", "--exclude-standard")
    if done is None:
        return None
    output, warnings = done
    files: list[str] = []
    repositories: list[str] = []
    for name, mode in _entries(output):
        if mode == _SUBMODULE or name.endswith("/"):
            repositories.append(name.rstrip("/"))
        else:
            files.append(name)
    if not output and _git(directory, "check-ignore", "--quiet", ".") is not None:
        return None
    return Listing(tuple(dict.fromkeys(files)), tuple(repositories), tuple(_UNSEEN.findall(warnings)))


def repository_of(directory: Path) -> Path | None:
    """The repository that an absolute directory is in, without asking git; None where it is in none."""
    return next((place for place in (directory, *directory.parents) if (place / ".git").exists()), None)


def _entries(output: bytes) -> Iterator[tuple[str, str]]:
    """Name and mode of each entry of `git ls-files`; files that are not tracked have no mode."""
    for entry in os.fsdecode(output).split("\0"):
        match = _STAGED.match(entry)
        if match:
            yield entry[match.end() :], match.group(1)
        elif entry:
            yield entry, ""


def _git(directory: Path, *arguments: str) -> tuple[bytes, str] | None:
    """Output and warnings of a git command that succeeded; None where it did not, or where there is no git."""
    import subprocess

    # A hook's own GIT_DIR or GIT_INDEX_FILE speaks of another directory than the one we ask about.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    # Of a stranger's repository no configured program may run.
    command = ["git", "-c", "core.fsmonitor=false", *arguments]
    try:
        done = subprocess.run(
            command, cwd=directory, capture_output=True, check=False, env=environment | {"LC_ALL": "C"}
        )
    except OSError:
        return None
    return (done.stdout, done.stderr.decode(errors="replace")) if done.returncode == 0 else None
