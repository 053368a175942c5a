"""The ignore rules that hold in each directory of a tree."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace

from trainlint.bounded import IGNORE_FILE_BYTES, read_bounded, reason_of
from trainlint.gitignore.ignore_file import IgnoreFile
from trainlint.gitignore.sources import repository_at, users_exclude_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

NAME = ".gitignore"


@dataclass(frozen=True, slots=True)
class Ignores:
    """The ignore rules that hold in one directory of a repository."""

    path: str = ""
    """The directory, from the repository's top, with a slash at its end; empty for the top. Bytes read as Latin-1."""
    files: tuple[tuple[int, IgnoreFile], ...] = ()
    """The ignore files, the strongest first, each with the length of the path to what its rules are relative to."""
    ignore_case: bool = False

    def ignored(self, name: str, *, is_directory: bool) -> bool:
        """Whether a file or a directory in this directory is ignored."""
        if not self.files:
            return False
        name = _latin(name)
        path = self.path + name
        for length, file in self.files:
            answer = file.ignores(name, path[length:], is_directory=is_directory)
            if answer is not None:
                return answer
        return False

    def inside(self, name: str) -> Ignores:
        """The rules for a directory in this one, before its own ignore file is read.

        Where there are no rules yet, the path may begin anywhere: a rule looks at what follows its own directory.
        """
        return replace(self, path=f"{self.path}{_latin(name)}/") if self.files else self


@dataclass(slots=True, eq=False)
class IgnoreReader:
    """Reads ignore files. Each is read once."""

    fail: Callable[[str, str], None]
    """Called with the path of an ignore file that cannot be read, and why."""
    note: Callable[[str, str], None]
    """Called with the path of an ignore file that git would not read either, and why."""
    _read: dict[tuple[str, bool], IgnoreFile | None] = field(default_factory=dict)

    def at_top(self, top: str) -> Ignores:
        """The rules that hold in a repository's top, before its own ignore file is read."""
        try:
            repository = repository_at(top)
        except OSError as error:
            self.fail(os.path.join(top, ".git"), _unread(error))
            return Ignores()
        files = [
            (0, rules)
            for rules in (
                repository.exclude_file and self._rules(repository.exclude_file, repository.ignore_case),
                self._users_rules(repository.ignore_case),
            )
            if rules
        ]
        return Ignores("", tuple(files), repository.ignore_case)

    def with_file_of(self, directory: str, ignores: Ignores) -> Ignores:
        """The rules for a directory with those of its own ignore file."""
        path = os.path.join(directory, NAME)
        if os.path.islink(path):
            self.note(path, "the ignore file is a link, so it is not read, as git does not either")
            return ignores
        rules = self._rules(path, ignores.ignore_case)
        if rules is None:
            return ignores
        return replace(ignores, files=((len(ignores.path), rules), *ignores.files))

    def above(self, top: str, directory: str) -> Ignores:
        """The rules that hold in a directory below a repository's top, before its own ignore file is read.

        None hold where the directory itself is ignored: whoever names it wants it judged.
        """
        ignores, place = self.at_top(top), top
        for name in os.path.relpath(directory, top).split(os.sep):
            ignores = self.with_file_of(place, ignores)
            if ignores.ignored(name, is_directory=True):
                return Ignores()
            ignores, place = ignores.inside(name), os.path.join(place, name)
        return ignores

    def _users_rules(self, ignore_case: bool) -> IgnoreFile | None:
        path = None
        try:
            path = users_exclude_file()
        except PermissionError as error:  # as where HOME is another user's: git goes on, too
            self.note(str(error.filename), "git's configuration may not be opened, so it is not read")
        except OSError as error:
            self.fail(str(error.filename), _unread(error))
        if path is None:
            return None
        if os.path.exists(path) and not os.access(path, os.R_OK):
            self.note(path, "the user's own ignore file may not be opened, so it is not read")
            return None
        return self._rules(path, ignore_case)

    def _rules(self, path: str, ignore_case: bool) -> IgnoreFile | None:
        key = (path, ignore_case)
        if key not in self._read:
            try:
                data = read_bounded(path, IGNORE_FILE_BYTES)
            except (FileNotFoundError, NotADirectoryError):
                data = b""
            except OSError as error:
                self.fail(path, _unread(error))
                data = b""
            self._read[key] = IgnoreFile(data, ignore_case=ignore_case) if data.strip() else None
        return self._read[key]


def _unread(error: OSError) -> str:
    return f"it cannot be read ({reason_of(error)}), so what it leaves out is judged; correct the file or remove it"


def _latin(name: str) -> str:
    return name if name.isascii() else os.fsencode(name).decode("latin-1")
