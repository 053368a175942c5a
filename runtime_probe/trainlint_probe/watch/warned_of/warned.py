"""What libraries warn of, and at which of the user's lines: outdated names tell on themselves."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from trainlint.evidence.places import Line
from trainlint.evidence.run import Seen
from trainlint.symptoms import Symptom
from trainlint_probe.watch.lines import frame_at
from trainlint_probe.watch.warned_of.places import place_without_us
from trainlint_probe.watch.watching import Watch


class Warned:
    """Counts the warnings that pass the script's own filters: no filter is changed, and all are shown as before."""

    def __init__(self, watch: Watch, is_closed: Callable[[], bool] = lambda: False) -> None:
        """`is_closed` says whether the window has closed: what is done then makes Python forget what it has shown."""
        self.watch = watch
        self.is_closed = is_closed
        self.moving = threading.local()
        self.shown: set[tuple[str, str, str, int]] = set()
        self.counts: dict[tuple[Line, str, str], int] = {}

    def install(self) -> None:
        """Listen from now on. Python asks for `showwarning` each time, so a script that puts its own in place is heard
        no more, and loses nothing.
        """
        warnings.showwarning = self._listening(warnings.showwarning)

    def seen(self) -> tuple[Seen, ...]:
        """The warnings at user's lines since the start: most come once, long before the window."""
        return tuple(
            Seen(at=at, symptom=Symptom.WARNING, what=category, calls=times, details={"message": message})
            for (at, category, message), times in self.counts.items()
        )

    def _listening(self, show: Callable[..., Any]) -> Callable[..., Any]:
        def showwarning(
            message: Warning | str, category: type[Warning], filename: str, lineno: int, *others: Any, **named: Any
        ) -> Any:
            if not getattr(self.moving, "is_moving", False) and self._is_moved(message, category, filename, lineno):
                return None
            place = self._users_place(filename, lineno)
            if place is not None:
                at = self.watch.line(*place)
                key = at, category.__name__, str(message).partition("\n")[0]
                self.counts[key] = self.counts.get(key, 0) + 1
            told = str(message), category.__name__, filename, lineno
            if self.is_closed() and told in self.shown:
                return None
            self.shown.add(told)
            return show(message, category, filename, lineno, *others, **named)

        return showwarning

    def _is_moved(self, message: Warning | str, category: type[Warning], filename: str, lineno: int) -> bool:
        """Whether the warning is told of another line than it would be without our frames, and now of the right one:
        there the filters may think otherwise of it.
        """
        place = place_without_us(str(message), category, filename, lineno)
        if place is None:
            return False
        self.moving.is_moving = True
        try:
            warnings.warn_explicit(message, category, place.filename, place.line, place.module, place.registry)
        finally:
            self.moving.is_moving = False
        return True

    def _users_place(self, filename: str, lineno: int) -> tuple[str, int] | None:
        """The user's line that a warning is about.

        Where decorators stand between, PyTorch names a line of its own: then it is the line that has called PyTorch,
        and nobody's where another library did.
        """
        lines = self.watch.ledger.lines
        if lines.is_users(filename):
            return (filename, lineno) if Path(filename).exists() else None
        frame: FrameType | None = frame_at(2)
        while frame is not None:
            filename = frame.f_code.co_filename
            if lines.is_users(filename):
                return filename, frame.f_lineno
            if not _passes_on(filename):
                return None
            frame = frame.f_back
        return None


_TORCH = str(Path(torch.__file__).parent) + os.sep
_OWN = str(Path(__file__).parents[2]) + os.sep
_STANDARD = str(Path(warnings.__file__).parent) + os.sep


def _passes_on(filename: str) -> bool:
    """Whether a file is PyTorch's, ours, or of Python, and stands between a warning and the call that it is about."""
    if filename.startswith((_TORCH, _OWN)) or Path(filename).name == "typing_extensions.py":
        return True
    return filename.startswith(_STANDARD) and f"{os.sep}site-packages{os.sep}" not in filename
