"""What torch.compile did: graph breaks with their lines, and functions that were compiled more than once."""

from __future__ import annotations

import re
import sys
from collections import Counter
from typing import Any

from trainlint.evidence import Line, Seen
from trainlint.symptoms import Symptom
from trainlint_probe.watch.watching import Watch

_LIMIT = re.compile(r"recompile.limit|cache.size.limit", re.IGNORECASE)
"""What torch.compile says of a function that it has compiled too often, by its names of today and before 2.6."""


class Compiles:
    """Reads dynamo's own records. Nothing is imported: where dynamo is not loaded, nothing was compiled."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def count(self) -> int:
        """How many frames were compiled so far."""
        utils = sys.modules.get("torch._dynamo.utils")
        return len(utils.get_compilation_metrics()) if utils is not None else 0

    def seen(self, window_began: float = 0.0) -> tuple[Seen, ...]:
        """Graph breaks and recompiles since the start: most happen before the window, and breaks slow each step of it.

        `window_began`, as time.time counts, tells those recompiles that the steps of the window had to wait for.
        """
        utils = sys.modules.get("torch._dynamo.utils")
        if utils is None:
            return ()
        return (*self._breaks(utils), *self._recompiles(utils, window_began))

    def _breaks(self, utils: Any) -> list[Seen]:
        breaks: dict[tuple[Line, str], int] = {}
        for reason in utils.graph_break_reasons:
            frames = [frame for frame in reason.user_stack or () if self.watch.ledger.lines.is_users(frame.filename)]
            frame = frames[-1] if frames else (reason.user_stack or [None])[-1]
            if frame is not None:
                key = self.watch.line(frame.filename, frame.lineno), _first_line(reason.reason)
                breaks[key] = breaks.get(key, 0) + 1
        return [
            Seen(at=at, symptom=Symptom.GRAPH_BREAK, what="torch.compile", calls=times, details={"reason": reason})
            for (at, reason), times in breaks.items()
        ]

    def _recompiles(self, utils: Any, window_began: float) -> list[Seen]:
        again: dict[tuple[Line, str], list[float]] = {}
        late: Counter[tuple[Line, str]] = Counter()
        given_up = _functions_given_up(utils)
        at_limit: set[tuple[Line, str]] = set()
        for metrics in utils.get_compilation_metrics():
            reason = getattr(metrics, "recompile_reason", None)
            if reason and metrics.co_filename:
                at = self.watch.line(metrics.co_filename, metrics.co_firstlineno)
                key = at, _without_number(_first_line(reason))
                if _function(metrics) in given_up:
                    at_limit.add(key)
                late[key] += (getattr(metrics, "start_time_us", None) or 0) / 1e6 >= window_began
                again.setdefault(key, []).append(getattr(metrics, "entire_frame_compile_time_s", None) or 0.0)
        return [
            Seen(
                at=key[0],
                symptom=Symptom.RECOMPILE,
                what="torch.compile",
                calls=len(seconds),
                host_ms=sum(seconds) * 1e3,
                details={
                    "reason": key[1],
                    "when": "since the start",
                    "in the window": str(late[key]),
                    **({"limit": _limit()} if key in at_limit else {}),
                },
            )
            for key, seconds in again.items()
        ]


def _functions_given_up(utils: Any) -> set[str]:
    """The functions that torch.compile will not compile again, as it has come to its limit. They run uncompiled where
    no compiled version fits.
    """
    return {
        _function(metrics)
        for metrics in utils.get_compilation_metrics()
        if _LIMIT.search(str(getattr(metrics, "fail_reason", None) or ""))
    }


def _function(metrics: Any) -> str:
    """Which function a compilation is of: "0" of the compilations "0/0" and "0/1"."""
    return str(getattr(metrics, "compile_id", "")).partition("/")[0]


def _limit() -> str:
    """How often torch.compile compiles a function at most; empty where this torch does not tell."""
    config = sys.modules.get("torch._dynamo.config")
    return str(getattr(config, "recompile_limit", getattr(config, "cache_size_limit", "")))


def _without_number(reason: str) -> str:
    """A guard that failed, without which one it was ("2/0: ") and where dynamo had it from ("  # ...")."""
    return re.sub(r"^\d+/\d+: ", "", reason).partition("  #")[0].rstrip(". ")


def _first_line(text: object) -> str:
    return str(text).strip().partition("\n")[0]
