"""Keeps a script's hands off the user's files: it runs on a view of them, and what it writes goes to a layer.

Plain `open()`, downloads, logs, shell commands and libraries that write past Python alike. Where the machine does not
allow it, the reason is told and the run goes on with what is left: redirected saves, the guard, and the scan of files.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from trainlint.project import repository_around
from trainlint_probe.changed_files.files import MOST, SKIPPED, Changes, walk

_PROGRAM = Path(__file__).with_name("overlay_mount.py")
_SEPARATORS = frozenset(",:\\")
"""Mean something else in the options of a mount."""
_PATIENCE = 30.0
"""Seconds for a trial that takes a tenth of one: a file system may be slow."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """Where a script writes to layers, or why it does not."""

    layers: Mapping[str, str]
    """Directory of the user's → the layer over it. Empty where there is no overlay."""
    obstacle: str = ""
    """Why there is none, without a full stop; empty where there is one, or where none was wanted."""

    @property
    def directories(self) -> tuple[str, ...]:
        """What lies under the overlay."""
        return tuple(self.layers)

    def wrapped_command(self, command: Sequence[str]) -> list[str]:
        """The command that runs another one under the overlay."""
        return [*_mounting(self.layers), *command] if self.layers else list(command)

    def changes(self) -> Changes:
        """What was written to the layers."""
        new: dict[str, int] = {}
        changed: dict[str, int] = {}
        removed: list[str] = []
        for directory, layer in self.layers.items():
            for path, state in _written(f"{layer}/written", directory):
                if state is None:
                    removed.append(path)
                elif not os.path.lexists(path):
                    new[path] = state.st_size
                elif _differs(state, path):
                    changed[path] = state.st_size
        sizes = sum(new.values()) + sum(changed.values())
        return Changes(tuple(sorted(new)), tuple(sorted(changed)), tuple(sorted(removed)), size=sizes)


NO_OVERLAY = Overlay({})


def overlay_for(places: Iterable[Path], directory: Path) -> Overlay:
    """An overlay over the repositories that some directories are in, or over these themselves. It is tried out first.

    `directory` is an empty one of the probe's own, where layers and all that the run is to leave behind will lie.
    """
    roots = _roots(places)
    for root in roots:
        obstacle = _reason_against_overlay(root, directory)
        if obstacle:
            return Overlay({}, f"{root} {obstacle}")
    layers = {str(root): str(directory / f"layer{number}") for number, root in enumerate(roots)}
    try:
        tried = subprocess.run(
            _mounting(layers), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Overlay({}, str(error).rstrip("."))
    if tried.returncode:
        said = tried.stderr.strip().splitlines()
        return Overlay({}, said[-1] if said else f"the trial ended with code {tried.returncode}")
    return Overlay(layers)


def _mounting(layers: Mapping[str, str]) -> list[str]:
    over = [word for directory, layer in layers.items() for word in ("--over", directory, layer)]
    # Isolated, as the command's own PYTHONPATH and site-packages are none of its business.
    return [sys.executable, "-I", "-S", str(_PROGRAM), *over, "--"]


def _roots(places: Iterable[Path]) -> list[Path]:
    found = {Path(repository_around(str(place)) or place) for place in (place.resolve() for place in places)}
    return sorted(root for root in found if not any(other in root.parents for other in found))


def _reason_against_overlay(root: Path, directory: Path) -> str:
    """What speaks against an overlay over a directory before it is tried."""
    if not sys.platform.startswith("linux"):
        return "cannot be overlaid: only Linux has overlay file systems"
    if any(place == root or root in place.parents for place in (_home_directory(), directory.resolve())):
        return f"holds the home directory or {tempfile.gettempdir()}: start the probe in the project's own directory"
    if os.statvfs(root).f_flag & os.ST_RDONLY:
        return "can only be read, and needs none"
    if _SEPARATORS & set(f"{root}{directory}"):
        return "has a comma, a colon or a backslash in its path"
    below = next((point for point in _mount_points() if root in Path(point).parents), None)
    if below is not None:
        return f"has another file system mounted at {below}, which an overlay would hide"
    if os.geteuid() and (others := _of_others(root)):
        return f"holds {others} of another user or group, which an overlay could not write"
    return ""


def _home_directory() -> Path:
    return Path(os.path.realpath(os.path.expanduser("~")))  # noqa: PTH111 - Path.home fails where nobody has a home


def _of_others(root: Path) -> str:
    """A file or directory that is not of this user and group, whom alone the overlay's user namespace knows."""
    own = os.geteuid(), os.getegid()
    state = root.stat()
    if (state.st_uid, state.st_gid) != own:
        return "files"
    for _, entry in zip(range(MOST), walk(str(root)), strict=False):
        try:
            state = entry.stat(follow_symlinks=False)
        except OSError:
            continue  # it is gone again
        if (state.st_uid, state.st_gid) != own:
            return entry.path
    return ""


def _mount_points() -> list[str]:
    """Where file systems are mounted, by Linux's own account (man 5 proc, mountinfo)."""
    lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    # Blanks and backslashes are written as three octal digits.
    return [os.fsdecode(line.split()[4].decode("unicode_escape").encode("latin-1")) for line in lines]


def _written(layer: str, meant: str) -> Iterator[tuple[str, os.stat_result | None]]:
    """The files of a layer by the paths that they were meant for; None stands for one that was removed."""
    for entry in os.scandir(layer):
        path = os.path.join(meant, entry.name)  # noqa: PTH118 - for each of many files
        if entry.name in SKIPPED:
            continue
        state = entry.stat(follow_symlinks=False)
        if stat.S_ISCHR(state.st_mode) and state.st_rdev == 0:  # so says an overlay that something is gone
            yield from ((gone, None) for gone in _files_of(path))
        elif stat.S_ISDIR(state.st_mode):
            yield from _written(entry.path, path)
            if _is_opaque(entry.path):  # a new directory where there was one
                now = {os.path.relpath(at, entry.path) for at in _files_of(entry.path)}
                yield from ((gone, None) for gone in _files_of(path) if os.path.relpath(gone, path) not in now)
        else:
            yield path, state


def _files_of(path: str) -> list[str]:
    """A file, or the files below a directory."""
    if not os.path.isdir(path) or os.path.islink(path):  # noqa: PTH112, PTH114 - as above
        return [path]
    return [os.path.join(at, name) for at, _, names in os.walk(path) for name in names]  # noqa: PTH118 - as above


def _is_opaque(path: str) -> bool:
    for name in ("trusted.overlay.opaque", "user.overlay.opaque"):
        try:
            return os.getxattr(path, name) == b"y"
        except OSError:
            continue  # it has no such mark, or we may not read such marks
    return False


def _differs(state: os.stat_result, path: str) -> bool:
    """Whether a file is another than it was: one that was only opened to be written was copied, with its time."""
    before = os.stat(path, follow_symlinks=False)  # noqa: PTH116 - as above
    return (state.st_size, state.st_mtime_ns) != (before.st_size, before.st_mtime_ns)
