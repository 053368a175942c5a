"""What a script wrote by itself, told in few words: a long training leaves hundreds of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from trainlint_probe.changed_files.files import MOST, Changes
from trainlint_probe.overlay import Overlay
from trainlint_probe.wording.units import size, some_of

_MOST_NAMED = 4
"""Files or directories that are named of each kind."""
_LARGE = 50_000_000
"""Bytes from which what was written looks like a download or a cache, and less than that like logs."""


def about_files(changes: Changes, overlay: Overlay) -> tuple[str, ...]:
    """What the reader must know of files besides those that were redirected, in sentences."""
    return tuple(_sentences(changes, overlay))


def _sentences(changes: Changes, overlay: Overlay) -> Iterator[str]:
    what = "; ".join(_parts(changes))
    if overlay.layers:
        where = " and ".join(overlay.directories)
        if what:
            yield f"The script ran on an overlay over {where}: no file there changed. It would have {what}."
        else:
            yield f"The script ran on an overlay over {where}, and wrote nothing there."
        if changes.size >= _LARGE:
            yield (
                f"That was {size(changes.size)}. The script downloads or prepares it again in each run: let "
                "the script do it once by itself, or use --no-overlay."
            )
        return
    if what:
        yield f"The script wrote by itself, and that stays: it {what}."
    if changes.touched_checkpoints:
        yield f"Checkpoints of yours are among that: {_file_list(changes.touched_checkpoints)}."
    if not changes.is_whole:
        yield f"There are more than {MOST} files here, and the others were not looked at for changes."
    if overlay.obstacle:
        yield f"No overlay kept the script from your files: {overlay.obstacle}."


def _parts(changes: Changes) -> Iterator[str]:
    for verb, paths in (("made", changes.new), ("changed", changes.changed), ("removed", changes.removed)):
        if paths:
            yield f"{verb} {_file_list(paths)}"


def _file_list(paths: Sequence[str]) -> str:
    """The files, or the directories that they lie in, the fullest first."""
    shown = [_relative_to_cwd(path) for path in paths]
    if len(shown) > _MOST_NAMED:
        # What was new in one directory is one thing to a reader: runs/, logs/.
        files = Counter(map(_group, shown))
        shown = [f"{name} ({count} files)" if count > 1 else name for name, count in files.most_common()]
    return some_of(shown, _MOST_NAMED)


def _group(shown: str) -> str:
    """The first directory on the way to a file; of one that lies elsewhere, its own."""
    path = Path(shown)
    if path.is_absolute():
        return f"{path.parent}/"
    return f"{path.parts[0]}/" if len(path.parts) > 1 else shown


def _relative_to_cwd(path: str) -> str:
    here = Path.cwd()
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) else path
