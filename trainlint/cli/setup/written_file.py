"""Files that `trainlint init` writes or adds to: read whole, written whole, and never through a link."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from trainlint.atomic_write import write_atomically
from trainlint.bounded import reason_of, write_leaves_project
from trainlint.cli.console import UsageError
from trainlint.paths import exists

if TYPE_CHECKING:
    from pathlib import Path


def require_no_link(place: Path, shown: str) -> None:
    """Raise UsageError where a link would be written through."""
    if place.is_symlink() or write_leaves_project(place):
        raise UsageError(
            f"{shown} is a link or lies behind one, so trainlint does not write it; use --diff and write it yourself"
        )


def write_file(place: Path, text: str, shown: str) -> None:
    """Write a file, which keeps its mode. Raises UsageError."""
    require_no_link(place, shown)
    try:
        write_atomically(str(place), text.encode("utf-8"), like=os.stat(place) if exists(place) else None)
    except OSError as error:
        raise UsageError(f"{shown} cannot be written ({reason_of(error)})") from error
