"""Where ignore rules stand that belong to no directory of the tree: `.git/info/exclude`, and the user's own file.

Nothing that a repository's own files say decides which file is read here.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from trainlint.bounded import IGNORE_FILE_BYTES, leads_out, read_bounded
from trainlint.gitignore.git_config import settings

_MOST_FILES = 100
"""More files of the user's configuration are not read. Few people have more than three."""
_REFERENCE = 10_000
"""Bytes of a `.git` file, or of git's reference back to it: one path."""


@dataclass(frozen=True, slots=True)
class Repository:
    """What is read of a repository, but for its ignore files."""

    exclude_file: str | None
    """Its `info/exclude`; None where it is not to be read."""
    ignore_case: bool
    """Whether git takes `A` and `a` in file names for the same, as it does where the file system does."""


def repository_at(top: str) -> Repository:
    """The repository whose working tree begins at a directory. Raises OSError where its settings cannot be read."""
    own = _git_directory(top)
    if own is None:
        return Repository(None, False)
    exclude_file = os.path.join(own, "info", "exclude")
    ignore_case = False
    for section, key, value in _settings_of(os.path.join(own, "config"), own):
        if (section, key) == ("core", "ignorecase"):
            ignore_case = value.lower() in ("true", "yes", "on", "1")
    return Repository(None if leads_out(exclude_file, own) else exclude_file, ignore_case)


def users_exclude_file() -> str | None:
    """The file of ignore rules that the user's own configuration of git names, else git's usual one.

    Raises OSError where that configuration cannot be read. Only absolute paths count: any other would lead into the
    working directory, and so to somebody else's file.
    """
    home = os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), "git")
    override = os.environ.get("GIT_CONFIG_GLOBAL")
    files = [os.path.join(home, "config"), os.path.expanduser("~/.gitconfig")] if override is None else [override]
    path = os.path.join(home, "ignore")
    read: set[str] = set()
    for file in files:
        for value in _excludes_files(file, read):
            path = os.path.expanduser(value)
    return path if os.path.isabs(path) else None


def _excludes_files(file: str, read: set[str]) -> list[str]:
    """The values of `core.excludesFile` in a configuration file and in those that it always includes."""
    found: list[str] = []
    if file in read or len(read) == _MOST_FILES or not os.path.isabs(file):
        return found
    read.add(file)
    for section, key, value in _settings_of(file):
        if (section, key) == ("core", "excludesfile"):
            found.append(value)
        elif (section, key) == ("include", "path"):
            found += _excludes_files(os.path.join(os.path.dirname(file), os.path.expanduser(value)), read)
    return found


def _settings_of(file: str, directory: str | None = None) -> list[tuple[str, str, str]]:
    """The settings of a configuration file; none where there is no such file, or it lies outside of `directory`."""
    if directory is not None and leads_out(file, directory):
        return []
    try:
        return list(settings(read_bounded(file, IGNORE_FILE_BYTES)))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _git_directory(top: str) -> str | None:
    """The directory of the repository's own data that all its working trees share; None where nothing confirms it."""
    entry = os.path.join(top, ".git")
    if os.path.islink(entry):
        return None
    if os.path.isdir(entry):
        return entry
    begin = "gitdir:"
    reference = _line(entry)
    if not reference.startswith(begin):
        return None
    directory = os.path.realpath(os.path.join(top, reference[len(begin) :].strip()))
    above, kind = os.path.split(os.path.dirname(directory))
    # Anybody can write a `.git` file that points anywhere. Git's own data point back to the working tree.
    if kind == "worktrees":
        back = _line(os.path.join(directory, "gitdir"))
        return above if back and os.path.realpath(os.path.join(directory, back)) == os.path.realpath(entry) else None
    worktrees = [
        value
        for section, key, value in _settings_of(os.path.join(directory, "config"))
        if (section, key) == ("core", "worktree")
    ]
    confirmed = worktrees and os.path.realpath(os.path.join(directory, worktrees[-1])) == os.path.realpath(top)
    return directory if confirmed else None


def _line(file: str) -> str:
    """The text of a file of one line; empty where there is none."""
    try:
        return os.fsdecode(read_bounded(file, _REFERENCE)).strip()
    except FileNotFoundError:
        return ""
