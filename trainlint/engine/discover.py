"""Which files to judge: the paths that the user named, turned into files.

Inside a git work tree git itself says what belongs to the project, so every ignore file is honoured as git reads it.
Elsewhere directories are walked. Only `.py` and `.pyw` files are looked for, and files with settings of DeepSpeed and
Accelerate; notebooks are left out.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from trainlint.bounded import SETTINGS_BYTES, read_bounded
from trainlint.finding import Failure
from trainlint.records import dataclass, field
from trainlint.settings_files import holds_settings, is_settings, may_be_settings

_SUFFIXES = (".py", ".pyw")

SKIPPED_DIRECTORIES = frozenset(
    {
        ".eggs",
        ".git",
        ".hg",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".trainlint_cache",
        ".venv",
        "__pycache__",
        "build",
        "dist",
        "node_modules",
        "site-packages",
        "venv",
    }
)
"""Directories that hold no code of the user's own. They are judged only when they are named explicitly."""

_MISSING = "it does not exist; check the spelling and the working directory"
_MISNAMED = "it is a directory, though its name is that of a Python file; rename it or exclude it"


@dataclass(frozen=True, slots=True)
class Target:
    """A file to judge."""

    path: Path
    """Absolute, to open."""
    shown: str
    """As shown to the user: relative to the working directory where possible, with forward slashes."""
    size: int
    """In bytes."""


@dataclass(frozen=True, slots=True)
class Discovery:
    """The files below the paths that the user named, in their stable order, and what stood in the way."""

    targets: tuple[Target, ...]
    failures: tuple[Failure, ...] = ()
    excluded: tuple[str, ...] = ()
    """Files and directories that the configuration, or trainlint's own list, leaves out."""
    notes: tuple[str, ...] = ()
    """Sentences for `--verbose`."""
    searched: tuple[Path, ...] = ()
    """The directories that the user named and that were searched, absolute."""


def discover(
    paths: Sequence[Path],
    excluded: Callable[[Path], bool] = lambda path: False,
    *,
    force_exclude: bool = False,
) -> Discovery:
    """Find the files below `paths`.

    `excluded` says of one absolute path whether the configuration excludes that very path; the directories above it
    are asked separately. A path that the user names is judged all the same, whatever its suffix, unless
    `force_exclude` is set.
    """
    search = _Search(Path.cwd(), excluded)
    for path in paths:
        search.named(path, force_exclude=force_exclude)
    if not search.found and not search.failures and not search.all_named_excluded:
        names = ", ".join(dict.fromkeys(search.shown(str(absolute(path))) for path in paths))
        left_out = " that is not excluded" if search.excluded else ""
        search.failures[""] = Failure(
            names, f"there is no Python file{left_out}; name other paths, or see --show-files"
        )
    return search.result()


def shown_path(path: Path | str, directory: Path) -> str:
    """An absolute path as people see it: relative to `directory` where it lies below it, with forward slashes."""
    text, above = str(path), str(directory)
    if text.startswith(above.rstrip(os.sep) + os.sep):
        text = text[len(above.rstrip(os.sep)) + 1 :]
    elif text == above:
        text = "."
    return text.replace(os.sep, "/")


@dataclass(slots=True)
class _Search:
    """What was found so far. Paths are texts here, all absolute: pathlib takes five times as long for thousands."""

    directory: Path
    is_excluded: Callable[[Path], bool]
    found: dict[str, tuple[bool, Target]] = field(default_factory=dict)
    """By real path: whether the target is a link to it, and the target."""
    failures: dict[str, Failure] = field(default_factory=dict)
    excluded: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    left_out: dict[str, bool] = field(default_factory=dict)
    searched: list[Path] = field(default_factory=list)
    all_named_excluded: bool = True
    real_directories: dict[str, str] = field(default_factory=dict)

    def result(self) -> Discovery:
        return Discovery(
            targets=tuple(sorted((target for _, target in self.found.values()), key=lambda target: target.shown)),
            failures=tuple(sorted(self.failures.values(), key=lambda failure: failure.path)),
            excluded=tuple(sorted(self.excluded)),
            notes=tuple(self.notes),
            searched=tuple(self.searched),
        )

    def named(self, path: Path, *, force_exclude: bool) -> None:
        """Add a path from the command line."""
        path = absolute(path)
        # What was left out below another named path may lie below this one.
        self.left_out.clear()
        if force_exclude and self.is_left_out_by_ancestry(path):
            self.excluded.add(self.shown(str(path)))
            return
        self.all_named_excluded = False
        if os.path.isdir(path):  # Path.is_dir() raises where it may not look
            self.searched.append(path)
            self.below(str(path))
        else:
            self.add(str(path), path)

    def below(self, root: str) -> None:
        """Add the Python files below a directory that was named, or that is a repository of its own."""
        from trainlint.engine.git import git_listing  # a file that is named needs no listing

        self.left_out[root] = False
        if is_python(root):
            self.fail(root, _MISNAMED)
        listing = git_listing(Path(root))
        if listing is None:
            self.notes.append(
                f"{self.shown(root)}: git does not answer for this directory, so .gitignore files are not read; "
                "trainlint's own list of directories to skip still holds."
            )
            self.walk(root)
            return
        for name in listing.unseen:
            self.fail(_within(root, name), "the directory cannot be opened, so what is in it is not judged")
        for name in filter(_may_be_judged, listing.files):
            path = _within(root, name)
            # A tracked file may be gone from the disk: then there is nothing to judge.
            if os.path.lexists(path):
                self.offer(path)
        for name in listing.repositories:
            # Git lists neither submodules nor repositories of their own below this one: each is asked itself.
            nested = _within(root, name)
            if not os.path.isdir(nested) or self.is_left_out(nested):
                continue
            # In a submodule that was never checked out, git would answer for the repository around it.
            if os.path.exists(os.path.join(nested, ".git")):
                self.below(nested)
            else:
                self.walk(nested)

    def walk(self, root: str) -> None:
        """Add the Python files below a directory that git knows nothing of. Links to directories are not followed."""
        waiting = [root]
        while waiting:
            directory = waiting.pop()
            try:
                with os.scandir(directory) as entries:
                    for entry in entries:
                        if entry.is_dir(follow_symlinks=False):
                            if not self.is_left_out(entry.path):
                                waiting.append(entry.path)
                        elif _may_be_judged(entry.name):
                            self.offer(entry.path)
            except OSError as error:
                self.fail(directory, f"the directory cannot be read ({_words(error)}), so what is in it is not judged")

    def offer(self, path: str) -> None:
        """Add a file below a directory that was named, unless something excludes it."""
        if self.is_left_out(os.path.dirname(path)):
            return
        if is_settings(path) and not _holds_settings(path):
            return
        place = Path(path)
        if self.is_excluded(place):
            self.excluded.add(self.shown(path))
        else:
            self.add(path, place)

    def add(self, path: str, place: Path) -> None:
        """Add one file, or say why it cannot be read."""
        try:
            status = os.lstat(path)
            is_link = stat.S_ISLNK(status.st_mode)
            if is_link:
                status = os.stat(path)
        except OSError as error:
            self.fail(path, _why_missing(path, error))
            return
        if stat.S_ISREG(status.st_mode):
            target = Target(place, self.shown(path), status.st_size)
            real = os.path.realpath(path) if is_link else self.real(path)
            # A file is shown by its own name where that is among those found, and else by the first of its links.
            self.found[real] = min((is_link, target), self.found.get(real, (True, target)), key=_first)
        elif stat.S_ISDIR(status.st_mode):
            self.fail(path, _MISNAMED)
        else:
            self.fail(path, "it is a pipe, a socket or a device and no ordinary file; remove it or exclude it")

    def real(self, path: str) -> str:
        """The real path of a file that is no link itself."""
        directory, name = os.path.split(path)
        real = self.real_directories.get(directory)
        if real is None:
            real = self.real_directories[directory] = os.path.realpath(directory)
        return real + os.sep + name

    def is_left_out(self, directory: str) -> bool:
        """Whether a directory below a named one, or any between the two, is excluded. The named one itself is not."""
        answer = self.left_out.get(directory)
        if answer is None:
            answer = self.is_left_out(os.path.dirname(directory))
            if not answer and self.is_excluded_itself(Path(directory)):
                answer = True
                self.excluded.add(self.shown(directory))
            if not answer and is_python(directory):
                self.fail(directory, _MISNAMED)
            self.left_out[directory] = answer
        return answer

    def is_left_out_by_ancestry(self, path: Path) -> bool:
        """Whether a named path, or any directory from the working directory down to it, is excluded."""
        above = (parent for parent in path.parents if parent.is_relative_to(self.directory))
        return any(self.is_excluded_itself(part) for part in (path, *above) if part != self.directory)

    def is_excluded_itself(self, path: Path) -> bool:
        """Whether trainlint's own list or the configuration excludes this very path."""
        return path.name in SKIPPED_DIRECTORIES or self.is_excluded(path)

    def fail(self, path: str, reason: str) -> None:
        """Note a path that cannot be judged, once."""
        shown = self.shown(path)
        self.failures.setdefault(shown, Failure(shown, reason))

    def shown(self, path: str) -> str:
        """The path as people see it."""
        return shown_path(path, self.directory)


def _within(root: str, name: str) -> str:
    """The path of what git lists below a directory, with forward slashes."""
    return os.path.join(root, name.replace("/", os.sep))


def absolute(path: Path) -> Path:
    """The absolute path without `..`, and without links resolved: people want to see the names that they typed."""
    return Path(os.path.abspath(path))  # Path.absolute() keeps "..", and Path.resolve() follows links


def _first(candidate: tuple[bool, Target]) -> tuple[bool, str]:
    is_link, target = candidate
    return is_link, target.shown


def _why_missing(path: str, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        if os.path.lexists(path):
            return "it is a symbolic link that leads nowhere; remove it or exclude it"
        return _MISSING
    if isinstance(error, NotADirectoryError):  # "train.py/model": a file stands where a directory is named
        return _MISSING
    if error.errno == errno.ELOOP:
        return "it is a symbolic link that leads back to itself; remove it or exclude it"
    return f"it cannot be read ({_words(error)}); correct its permissions or exclude it"


def is_python(name: str) -> bool:
    """Whether a file name is that of a Python file."""
    return name.endswith(_SUFFIXES)


def _may_be_judged(name: str) -> bool:
    """Whether a file name is that of a Python file, or may be that of settings."""
    return is_python(name) or may_be_settings(name.rpartition("/")[2])


def _holds_settings(path: str) -> bool:
    """Whether a file holds settings of training. One that cannot be read is somebody else's."""
    try:
        return holds_settings(path, read_bounded(path, SETTINGS_BYTES))
    except OSError:
        return False


def _words(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
