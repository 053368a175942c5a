"""Where a warning would be told without the probe: Python counts frames up to it (`stacklevel`), ours among them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from trainlint_probe.watch.lines import frame_at

_OWN = str(Path(__file__).parents[2]) + os.sep
_STARTS_PYTHON = "<frozen runpy>"


@dataclass(frozen=True, slots=True)
class WarningPlace:
    """What a warning is told of."""

    filename: str
    line: int
    module: str
    registry: dict[Any, Any]
    """Where Python notes what it has shown of this module."""


def place_without_us(message: str, category: type[Warning], filename: str, line: int) -> WarningPlace | None:
    """The place of a warning that is being shown for a place which our frames have led to; None where they have not.

    That it was shown there is forgotten: else one of another line of the user's would not be.
    """
    frames = list(_frames_of_warning())
    at = next((number for number, frame in enumerate(frames) if _is_at(frame, filename, line)), None)
    if at is None:
        return None  # of no frame, as those that name a place themselves
    ours = sum(map(_is_ours, frames[: at + 1]))
    if not ours:
        return None
    frames[at].f_globals.get("__warningregistry__", {}).pop((message, category, line), None)
    further = [frame for frame in frames[at + 1 :] if not _is_ours(frame)]
    if len(further) < ours or further[ours - 1].f_code.co_filename == _STARTS_PYTHON:
        return WarningPlace("sys", 1, "sys", {})  # as Python says where there are not as many frames
    frame = further[ours - 1]
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    return WarningPlace(frame.f_code.co_filename, frame.f_lineno, str(frame.f_globals.get("__name__")), registry)


def _frames_of_warning() -> Iterator[FrameType]:
    """The frame that warns, which may be ours, and those that have called it."""
    frame: FrameType | None = frame_at(0)
    while frame is not None and frame.f_code.co_filename != warnings.__file__:
        frame = frame.f_back
    while frame is not None and frame.f_code.co_filename == warnings.__file__:
        frame = frame.f_back
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_at(frame: FrameType, filename: str, line: int) -> bool:
    return frame.f_code.co_filename == filename and frame.f_lineno == line


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_OWN)
