"""Which lines of the user's files run while the steps of the window are taken."""

from __future__ import annotations

import sys
import threading
from collections import defaultdict
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any


class Executed:
    """Traces the user's functions, and no library's."""

    def __init__(self, is_users: Callable[[str], bool]) -> None:
        self.lines: dict[str, set[int]] = defaultdict(set)
        self._is_users = is_users
        self._unseen: dict[CodeType, set[int]] = {}
        """Lines of a function that have not run yet: one of which all have is traced no longer."""

    def start(self) -> None:
        """From now on, in this thread and in those that start from now on, and in functions that run already."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if self._is_users(frame.f_code.co_filename):
                frame.f_trace = self._line
                self._seen(frame)
            frame = frame.f_back
        threading.settrace(self._call)
        sys.settrace(self._call)

    def stop(self) -> None:
        """Trace no more."""
        sys.settrace(None)
        threading.settrace(None)

    def _call(self, frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        if not self._is_users(code.co_filename):
            return None
        unseen = self._unseen.get(code)
        if unseen is None:
            unseen = self._unseen[code] = {line for _, _, line in code.co_lines() if line is not None}
        self._seen(frame)
        return self._line if unseen else None

    def _line(self, frame: FrameType, event: str, _: Any) -> Any:
        self._seen(frame)
        return self._line

    def _seen(self, frame: FrameType) -> None:
        code = frame.f_code
        self.lines[code.co_filename].add(frame.f_lineno)
        if code in self._unseen:
            self._unseen[code].discard(frame.f_lineno)
