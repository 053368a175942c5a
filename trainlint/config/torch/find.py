"""Which files of a project are asked for the PyTorch versions that it states, and which statement counts.

The files of a directory count, and those of the directories above it up to the repository's; outside of a repository,
up to the first directory that states something or marks a project. Where several disagree, the oldest counts: a fix
may write only what all of them have.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trainlint.bounded import UnfitFile, leads_out, read_bounded
from trainlint.config.torch.formats import FOLDERS, bound, kind_of, stated_in
from trainlint.paths import absolute, shown_here
from trainlint.project import PROJECT_FILES, project_around, repository_around

MOST_FILES = 50
"""For one directory, those above it and those included by others counted. Projects have a handful."""

MOST_FULL = 5
"""So many files of the largest size are read for one directory, or more that are smaller: parsers take time."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.config.torch_range import TorchRange
_MARKS = frozenset(PROJECT_FILES) - {"trainlint.toml"}


@dataclass(frozen=True, slots=True)
class TargetTorch:
    """The torch versions that a project's own files state."""

    versions: TorchRange | None = None
    """None where no file sets a bound."""
    notes: tuple[str, ...] = ()
    """What was not read, and why: sentences for people."""


def find_target_torch(directory: Path) -> TargetTorch:
    """The torch versions that the files of a directory and of those above it state, within its project.

    Nothing of the project is executed. What cannot be read or understood states no version.
    """
    start = absolute(directory)
    repository = repository_around(str(start))
    files = _Files()
    for place in (start, *start.parents):
        names = _names_in(place)
        files.read_all(place, names)
        if str(place) == repository or (repository is None and (files.ranges or not names.isdisjoint(_MARKS))):
            break
    return TargetTorch(_oldest(files.ranges), tuple(files.notes))


def _oldest(stated: Sequence[TorchRange]) -> TorchRange | None:
    """The oldest lower bound, with the newest upper bound where each statement has one or the others are only such.

    What is only mentioned bounds nothing, and is kept beside the bounds.
    """
    oldest = _bounds([found for found in stated if found.minimum is not None or found.maximum is not None])
    mentioned = min((found.mentioned for found in stated if found.mentioned is not None), default=None)
    if oldest is None or mentioned is None or mentioned >= (oldest.minimum or mentioned):
        return oldest
    return replace(oldest, mentioned=mentioned)


def _bounds(stated: Sequence[TorchRange]) -> TorchRange | None:
    caps = [found.maximum for found in stated if found.minimum is None and found.maximum is not None]
    known = sorted((found for found in stated if found.minimum is not None), key=lambda found: found.minimum or (0, 0))
    if not known:
        return max(stated, key=lambda found: found.maximum or (0, 0), default=None)
    oldest, maxima = known[0], [found.maximum for found in known if found.maximum is not None]
    newest = max(maxima) if len(maxima) == len(known) else max(caps, default=None)
    maximum = newest if newest is None or newest > (oldest.minimum or newest) else None
    return replace(oldest, maximum=maximum)


class _Files:
    """The files that were asked, and what they state."""

    def __init__(self) -> None:
        self.ranges: list[TorchRange] = []
        self.notes: list[str] = []
        self._read: set[str] = set()
        """By their real paths."""
        self._room = float(MOST_FULL)
        """How many full files may still be read."""

    def read_all(self, place: Path, names: frozenset[str]) -> None:
        """Read what is there to read in a directory, each file once, with those that it includes."""
        waiting = sorted(_candidates(place, names), reverse=True)
        project = Path(project_around(str(place)) or place)
        while waiting and len(self._read) <= MOST_FILES:
            path = waiting.pop()
            data = self._bytes(path, project)
            if data is not None:
                ranges, includes = stated_in(path.name, data)
                self.ranges += (replace(found, where=f"{shown_here(path)}:{found.where}") for found in ranges)
                waiting += (Path(os.path.normpath(path.parent / name)) for name in includes[:MOST_FILES])

    def _bytes(self, path: Path, project: Path) -> bytes | None:
        """A file's bytes; None where it was read before, or is not to be read, which `notes` then says."""
        real = os.path.realpath(path)
        if real in self._read:
            return None
        self._read.add(real)
        try:
            if len(self._read) > MOST_FILES:
                self._note(path, f"only {MOST_FILES} such files are read for one directory")
            elif leads_out(path, project):
                self._note(path, "it leads out of the project")
            else:
                data = read_bounded(path, bound(path.name))
                self._room -= len(data) / bound(path.name)
                if self._room >= 0:
                    return data
                self._note(path, "the files before it are large, and only so much is read for one directory")
        except UnfitFile as error:
            if not path.is_dir():
                self._note(path, str(error.strerror))
        except (OSError, ValueError):
            pass  # This only finds a default: a file that is missing or out of reach is left to others to complain of.
        return None

    def _note(self, path: Path, reason: str) -> None:
        self.notes.append(f"{shown_here(path)} was not read for versions of torch: {reason}")


def _candidates(place: Path, names: frozenset[str]) -> Iterator[Path]:
    yield from (place / name for name in names if kind_of(name))
    for folder in names.intersection(FOLDERS):
        within = place / folder
        yield from (within / name for name in _names_in(within) if name.endswith(".txt") or kind_of(name) == "image")


def _names_in(place: Path) -> frozenset[str]:
    try:
        return frozenset(child.name for child in place.iterdir())
    except OSError:
        return frozenset()
