"""What torch.compile did: graph breaks with their lines, and functions that were compiled more than once."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from trainlint.evidence.places import Line
from trainlint.evidence.run import Seen
from trainlint.symptoms import Symptom
from trainlint_probe.watch.lines import display_path
from trainlint_probe.watch.watching import Watch

_LIMIT = re.compile(r"recompile.limit|cache.size.limit", re.IGNORECASE)
"""What torch.compile says of a function that it has compiled too often, by its names of today and before 2.6."""


class Break(NamedTuple):
    """A place at which torch.compile broke a graph."""

    stack: tuple[tuple[str, int], ...]
    """The path and the line of each call that leads there, the outermost first."""
    reason: str


def recorded_breaks() -> list[Break]:
    """What dynamo has noted since the start; nothing where it is not loaded."""
    utils = sys.modules.get("torch._dynamo.utils")
    if utils is None:
        return []
    return [
        Break(tuple((frame.filename, frame.lineno) for frame in reason.user_stack or ()), _first_line(reason.reason))
        for reason in utils.graph_break_reasons
    ]


def breaks_by_line(breaks: Iterable[Break], is_users: Callable[[str], bool], directory: str) -> list[Seen]:
    """Each line of the user's that breaks a graph, or of a library's where no line of the user's leads there."""
    found: Counter[tuple[Line, str]] = Counter()
    for stack, reason in breaks:
        own = [place for place in stack if is_users(place[0])]
        if stack:
            path, line = (own or stack)[-1]
            found[Line(display_path(path, directory), line), reason] += 1
    return [
        Seen(at=at, symptom=Symptom.GRAPH_BREAK, what="torch.compile", calls=times, details={"reason": reason})
        for (at, reason), times in found.items()
    ]


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
        breaks = breaks_by_line(recorded_breaks(), self.watch.ledger.lines.is_users, self.watch.directory)
        return (*breaks, *self._recompiles(utils, window_began))

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
