"""What torch.compile did: graph breaks with their lines, and functions that were compiled more than once."""

from __future__ import annotations

import sys
from typing import Any

from trainlint.evidence import Line, Seen, Symptom
from trainlint_probe.watch.lines import shown
from trainlint_probe.watch.watching import Watch


class Compiles:
    """Reads dynamo's own records. Nothing is imported: where dynamo is not loaded, nothing was compiled."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def count(self) -> int:
        """How many frames were compiled so far."""
        utils = sys.modules.get("torch._dynamo.utils")
        return len(utils.get_compilation_metrics()) if utils is not None else 0

    def seen(self) -> tuple[Seen, ...]:
        """Graph breaks and recompiles since the start: most happen before the window, and slow each step of it."""
        utils = sys.modules.get("torch._dynamo.utils")
        if utils is None:
            return ()
        return (*self._breaks(utils), *self._recompiles(utils))

    def _breaks(self, utils: Any) -> list[Seen]:
        breaks: dict[tuple[Line, str], int] = {}
        for reason in utils.graph_break_reasons:
            frames = [frame for frame in reason.user_stack or () if self.watch.ledger.lines.is_users(frame.filename)]
            frame = frames[-1] if frames else (reason.user_stack or [None])[-1]
            if frame is not None:
                key = Line(shown(frame.filename, self.watch.directory), frame.lineno), _first_line(reason.reason)
                breaks[key] = breaks.get(key, 0) + 1
        return [
            Seen(at=at, symptom=Symptom.GRAPH_BREAK, what="torch.compile", calls=times, details={"reason": reason})
            for (at, reason), times in breaks.items()
        ]

    def _recompiles(self, utils: Any) -> list[Seen]:
        again: dict[tuple[Line, str], list[float]] = {}
        for metrics in utils.get_compilation_metrics():
            reason = getattr(metrics, "recompile_reason", None)
            if reason and metrics.co_filename:
                at = Line(shown(metrics.co_filename, self.watch.directory), metrics.co_firstlineno)
                key = at, _first_line(reason)
                again.setdefault(key, []).append(getattr(metrics, "entire_frame_compile_time_s", None) or 0.0)
        return [
            Seen(
                at=at,
                symptom=Symptom.RECOMPILE,
                what="torch.compile",
                calls=len(seconds),
                host_ms=sum(seconds) * 1e3,
                details={"reason": reason, "when": "since the start"},
            )
            for (at, reason), seconds in again.items()
        ]


def _first_line(text: object) -> str:
    return str(text).strip().partition("\n")[0]
