"""Which files to judge: the paths that the user named, turned into files.

Directories are walked. Inside a git repository ignore files are honoured with git's meaning, whether or not git tracks
a file; git itself is never run, because a repository's configuration can make it run a command. Only `.py` and `.pyw`
files are looked for, notebooks, and files with settings of training.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from trainlint.bounded import SETTINGS_BYTES, leads_out, read_bounded, reason_of
from trainlint.finding import Failure
from trainlint.notebooks import is_notebook
from trainlint.paths import absolute, is_directory, shown_path
from trainlint.project import project_around, repository_around
from trainlint.training_settings.files import holds_settings, may_be_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.gitignore.ignores import IgnoreReader, Ignores

_SUFFIXES = (".py", ".pyw")
SHIPPED_SUFFIXES = (".yaml", ".yml", ".toml", ".json", ".sh", ".bash", ".slurm", ".sbatch", ".md")

SKIPPED_DIRECTORIES = frozenset(
    {
        ".eggs",
        ".git",
        ".hg",
        ".ipynb_checkpoints",
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
_MISNAMED = "it is a directory, though its name is that of a file with code; rename it or exclude it"


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
    shipped: tuple[str, ...] = ()
    """Configuration files, launch scripts and pages that may say how the code is run, absolute, in their order."""


def discover(
    paths: Sequence[Path],
    excluded: Callable[[Path], bool] = lambda path: False,
    *,
    force_exclude: Callable[[Path], bool] = lambda path: False,
) -> Discovery:
    """Find the files below `paths`.

    `excluded` says of one absolute path whether the configuration excludes that very path; the directories above it
    are asked separately. A path that the user names is judged all the same, whatever its suffix, unless
    `force_exclude` says of its absolute path that it is not.
    """
    search = _Search(Path.cwd(), excluded)
    for path in paths:
        search.add_path(absolute(path), force_exclude)
    if not search.found and not search.failures and not search.all_named_excluded:
        names = ", ".join(dict.fromkeys(search.shown(str(absolute(path))) for path in paths))
        left_out = " that is not excluded" if search.excluded else ""
        search.failures[""] = Failure(
            names, f"there is no Python file{left_out}; name other paths, or see with --verbose what was left out"
        )
    return search.result()


def is_left_out(path: Path, excluded: Callable[[Path], bool]) -> bool:
    """Whether an absolute path, or a directory from the working directory down to it, is excluded.

    Ignore files of git do not count: a file in an editor is there to be worked on.
    """
    return _Search(Path.cwd(), excluded).is_left_out_by_ancestry(path)


class _Search:
    """What was found so far. Paths are texts here, all absolute: pathlib takes five times as long for thousands."""

    def __init__(self, directory: Path, is_excluded: Callable[[Path], bool]) -> None:
        self.directory = directory
        self.is_excluded = is_excluded
        self.found: dict[str, tuple[bool, Target]] = {}
        """By real path: whether the target is a link to it, and the target."""
        self.failures: dict[str, Failure] = {}
        self.excluded: set[str] = set()
        self.notes: list[str] = []
        self.left_out: dict[str, bool] = {}
        self.searched: list[Path] = []
        self.shipped: set[str] = set()
        self.all_named_excluded = True
        self.real_directories: dict[str, str] = {}
        self.project = ""
        """The real directory that links below the directory being searched must not leave."""
        self.reader: IgnoreReader | None = None

    def result(self) -> Discovery:
        return Discovery(
            targets=tuple(sorted((target for _, target in self.found.values()), key=lambda target: target.shown)),
            failures=tuple(sorted(self.failures.values(), key=lambda failure: failure.path)),
            excluded=tuple(sorted(self.excluded)),
            notes=tuple(dict.fromkeys(self.notes)),
            searched=tuple(self.searched),
            shipped=tuple(sorted(self.shipped)),
        )

    def add_path(self, path: Path, force_exclude: Callable[[Path], bool]) -> None:
        """Add a path from the command line, made absolute."""
        # What was left out below another named path may lie below this one.
        self.left_out.clear()
        if force_exclude(path) and self.is_left_out_by_ancestry(path):
            self.excluded.add(self.shown(str(path)))
            return
        self.all_named_excluded = False
        if is_directory(path):
            self.searched.append(path)
            self.add_directory(str(path))
        else:
            self.add(str(path), path)

    def add_directory(self, root: str) -> None:
        """Add the files below a directory that was named."""
        real = os.path.realpath(root)
        self.project = project_around(real) or real
        self.left_out[root] = False
        if is_code(root):
            self.fail(root, _MISNAMED)
        top = repository_around(real)
        if top is None:
            self.note(root, "it is in no git repository, so .gitignore files outside of repositories are not read")
        self.walk(root, None if top is None or top == real else self.ignore_files().above(top, real))

    def walk(self, root: str, ignores: Ignores | None) -> None:
        """Add the files below a directory. Links to directories are not followed.

        `ignores`: the ignore rules that hold there, before the directory's own are read; None outside of repositories.
        """
        waiting = [(root, ignores)]
        while waiting:
            directory, ignores = waiting.pop()
            start = os.path.join(directory, "")
            directories: list[str] = []
            files: list[tuple[str, bool]] = []  # names, and whether each is a link
            is_repository = has_ignore_file = False
            try:
                with os.scandir(directory) as entries:
                    for entry in entries:
                        if entry.name == ".git":
                            is_repository = True
                        elif entry.is_dir(follow_symlinks=False):
                            directories.append(entry.name)
                        elif entry.name == ".gitignore":
                            has_ignore_file = True
                        elif _may_be_judged(entry.name) or is_shipped(entry.name):
                            files.append((entry.name, entry.is_symlink()))
            except OSError as error:
                self.fail(
                    directory, f"the directory cannot be read ({reason_of(error)}), so what is in it is not judged"
                )
            if is_repository:  # a repository of its own: the ignore files around it do not hold in it
                ignores = self.ignore_files().at_top(directory)
            if ignores and has_ignore_file:
                ignores = self.ignore_files().with_file_of(directory, ignores)
            for name in directories:
                path = start + name
                if not (ignores and ignores.ignored(name, is_directory=True)) and not self.is_left_out(path):
                    waiting.append((path, ignores and ignores.inside(name)))
            for name, is_link in files:
                if not (ignores and ignores.ignored(name, is_directory=False)):
                    self.offer(start + name, is_link=is_link)

    def offer(self, path: str, *, is_link: bool) -> None:
        """Add a file below a directory that was named, unless something excludes it."""
        place = Path(path)
        if self.is_excluded(place):
            self.excluded.add(self.shown(path))
        elif is_link and leads_out(path, self.project):
            self.note(path, "it is a link to a file outside of the project; it is judged only when it is named")
        elif is_code(path):
            self.add(path, place)
        else:
            if not is_link and is_shipped(path):
                self.shipped.add(path)
            if _may_be_judged(path) and _holds_settings(path):
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
            self.found[real] = min((is_link, target), self.found.get(real, (True, target)), key=_sort_key)
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
            if not answer and is_code(directory):
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

    def note(self, path: str, reason: str) -> None:
        """Note for `--verbose` what was done about a path."""
        self.notes.append(f"{self.shown(path)}: {reason}")

    def ignore_files(self) -> IgnoreReader:
        """What reads ignore files. A search that meets no repository needs none."""
        if self.reader is None:
            from trainlint.gitignore.ignores import IgnoreReader

            self.reader = IgnoreReader(self.fail, self.note)
        return self.reader

    def shown(self, path: str) -> str:
        """The path as people see it."""
        return shown_path(path, self.directory)


def _sort_key(candidate: tuple[bool, Target]) -> tuple[bool, str]:
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
    return f"it cannot be read ({reason_of(error)}); correct its permissions or exclude it"


def is_python(name: str) -> bool:
    """Whether a file name is that of a Python file."""
    return name.endswith(_SUFFIXES)


def is_code(name: str) -> bool:
    """Whether a file name is that of a Python file or a notebook."""
    return is_python(name) or is_notebook(name)


def _may_be_judged(name: str) -> bool:
    """Whether a file name is that of a file with code, or may be that of settings."""
    return is_code(name) or may_be_settings(name.rpartition("/")[2])


def is_shipped(name: str) -> bool:
    """Whether a file may say how the code of a project is run, by its suffix."""
    return name.endswith(SHIPPED_SUFFIXES)


def _holds_settings(path: str) -> bool:
    """Whether a file holds settings of training. One that cannot be read is somebody else's."""
    try:
        return holds_settings(path, read_bounded(path, SETTINGS_BYTES))
    except OSError:
        return False
