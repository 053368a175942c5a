"""Which files of a project are asked for the torch versions that it targets, and which of them wins.

The nearest directory upward counts in which a file says something, within the project. In it, files that declare what
is supported are asked in the order of `_declaring`; the first with a lower bound wins, and an upper bound that stands
alone before it is kept. Where none declares a lower bound, a lock file gives it: what is run is then the oldest version
that is known to matter. A lock file sets no upper bound, since it is written anew with each update. Where there is
none, the README of the directory is asked; those above it count up to the repository's, whatever projects lie between.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from trainlint.bounded import UnfitFile, leads_out, read_bounded
from trainlint.config.torch.formats import (
    FIRST,
    LOCKS,
    bound,
    is_conda,
    is_dockerfile,
    is_read,
    is_readme,
    is_requirements,
    read_requirements,
)
from trainlint.paths import absolute, shown_here
from trainlint.project import PROJECT_FILES, REPOSITORY, project_around, repository_around

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.config.torch_range import TorchRange

MOST_FILES = 50
"""In one directory, those included by others counted. Projects have a handful."""
_ENDS = frozenset({REPOSITORY, *PROJECT_FILES}) - {"trainlint.toml"}
"""Above a directory with one of these, requirements are those of another project. A trainlint.toml marks none."""


@dataclass(frozen=True, slots=True)
class TargetTorch:
    """The torch versions that a project's own files let in."""

    versions: TorchRange | None = None
    """None where no file sets a bound."""
    notes: tuple[str, ...] = ()
    """What was not read, and why: sentences for people."""


def find_target_torch(directory: Path) -> TargetTorch:
    """The torch versions named by the nearest files in a directory or above it, within its project.

    Nothing of the project is executed. What cannot be read or understood names no version.
    """
    start = absolute(directory)
    repository = repository_around(str(start))
    notes: list[str] = []
    found = None
    ended = False
    for place in (start, *start.parents):
        names = _names_in(place)
        if any(map(is_read, names)):
            here = _Place(place, names, Path(project_around(str(place)) or place), notes)
            found = here.lowest_of_readmes() if ended else here.versions()
        ended = ended or not names.isdisjoint(_ENDS)
        if found is not None or (ended and (repository is None or REPOSITORY in names)):
            break
    return TargetTorch(found, tuple(notes))


class _Place:
    """One directory in which files are asked."""

    def __init__(self, directory: Path, names: frozenset[str], project: Path, notes: list[str]) -> None:
        self.directory = directory
        self.names = names
        self.project = project
        self.notes = notes
        self.read: set[str] = set()
        """The files asked so far, by their real paths."""

    def versions(self) -> TorchRange | None:
        """What the files of this directory say together."""
        from trainlint.config.torch_range import TorchRange

        below: TorchRange | None = None
        for path in self._declaring():
            found = self._of_file(path)
            if found is not None and found.minimum is not None:
                return _with_maximum(found, below)
            below = below or found
        locked = (self._of_file(self.directory / name) for name in LOCKS if name in self.names)
        lock = next(filter(None, locked), None)
        if lock is not None:
            return _with_maximum(TorchRange(lock.minimum), below)
        found = self.lowest_of_readmes()
        return _with_maximum(found, below) if found is not None and found.minimum is not None else below or found

    def lowest_of_readmes(self) -> TorchRange | None:
        """What the READMEs of this directory and of its `docs` say together."""
        paths = [self.directory / name for name in sorted(filter(is_readme, self.names))]
        if "docs" in self.names:
            within = self.directory / "docs"
            paths += [within / name for name in sorted(filter(is_readme, _names_in(within)))]
        return _lowest(filter(None, map(self._of_file, paths)))

    def _declaring(self) -> Iterator[Path]:
        """The files that may declare versions, in the order in which they are asked."""
        yield from (self.directory / name for name in FIRST if name in self.names)
        yield from (self.directory / name for name in sorted(filter(is_requirements, self.names)))
        if "requirements" in self.names:
            within = self.directory / "requirements"
            yield from (within / name for name in sorted(_names_in(within)) if name.endswith(".txt"))
        yield from (self.directory / name for name in sorted(filter(is_conda, self.names)))
        yield from (self.directory / name for name in sorted(filter(is_dockerfile, self.names)))
        if "docker" in self.names:
            images = self.directory / "docker"
            yield from (images / name for name in sorted(filter(is_dockerfile, _names_in(images))))

    def _of_file(self, path: Path) -> TorchRange | None:
        """What a file says together with those that it includes, each read once."""
        ranges: list[TorchRange] = []
        waiting = [path]
        while waiting:
            here = waiting.pop()
            data = self._bytes(here)
            if data is not None:
                found = read_requirements(here.name, data)
                ranges += found.ranges
                # Each is read once at most, so that those that include each other come to an end.
                waiting += [Path(os.path.normpath(here.parent / name)) for name in found.includes[:MOST_FILES]]
        return _lowest(ranges)

    def _bytes(self, path: Path) -> bytes | None:
        """A file's bytes; None where it was read before, or is not to be read, which `notes` then says."""
        if len(self.read) > MOST_FILES:
            return None
        real = os.path.realpath(path)
        if real in self.read:
            return None
        self.read.add(real)
        if len(self.read) > MOST_FILES:
            self._note(path, f"only {MOST_FILES} such files are read for one directory")
            return None
        if leads_out(path, self.project):
            self._note(path, "it leads out of the project")
            return None
        try:
            return read_bounded(path, bound(path.name))
        except UnfitFile as error:
            if not path.is_dir():
                self._note(path, str(error.strerror))
        except (OSError, ValueError):
            # This only finds a default: a file that is missing or out of reach is left to others to complain of.
            pass
        return None

    def _note(self, path: Path, reason: str) -> None:
        self.notes.append(f"{shown_here(path)} was not read for versions of torch: {reason}")


def _names_in(place: Path) -> frozenset[str]:
    try:
        return frozenset(child.name for child in place.iterdir())
    except OSError:
        return frozenset()


def _with_maximum(found: TorchRange, other: TorchRange | None) -> TorchRange:
    """A range without an upper bound, with that of another one where they overlap."""
    from trainlint.config.torch_range import TorchRange

    if found.maximum is not None or other is None or other.maximum is None or found.minimum is None:
        return found
    return TorchRange(found.minimum, other.maximum) if found.minimum < other.maximum else found


def _lowest(ranges: Iterable[TorchRange]) -> TorchRange | None:
    """All that several requirements of one file let in. Those without a lower bound count only if all are such."""
    from trainlint.config.torch_range import widest

    known = list(ranges)
    known = [found for found in known if not found.implied] or known
    return widest([found for found in known if found.minimum is not None] or known)
