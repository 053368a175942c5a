"""Settings for a whole run that slow each step: which were on while steps ran, and which line turned them on."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from trainlint.symptoms import Symptom
from trainlint_probe.watch.ledger import Kind, Site
from trainlint_probe.watch.lines import frame_at
from trainlint_probe.watch.watching import Watch

_ANOMALY = Kind("anomaly detection", Symptom.SLOW_SWITCH)
_PROFILER = Kind("PyTorch's profiler", Symptom.SLOW_SWITCH)


class Switches:
    """The settings of one process, looked at in each backward and at the end of each step."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.anomaly: Site | None = None
        """The line that turned anomaly detection on last."""
        self.profiler: Site | None = None

    def install(self) -> None:
        """Note which lines turn them on."""
        torch.set_anomaly_enabled = self._noting_anomaly(torch.set_anomaly_enabled)
        older = torch.autograd.profiler.profile
        older.__enter__ = self._noting_profiler(older.__enter__)
        torch.profiler.profile.start = self._noting_profiler(torch.profiler.profile.start)

    def before_backward(self) -> None:
        """`detect_anomaly()` may hold for the backward alone, and be off again when the step ends."""
        if torch.is_anomaly_enabled():
            site = self.anomaly or self.watch.ledger.site(_ANOMALY, "", frame_at(1))
            site.calls += 1

    def step_ended(self) -> None:
        """Look at what holds for longer than one call."""
        is_ours = self.watch.ranges is not None
        if self.profiler is not None and not is_ours and torch.autograd._profiler_enabled():  # noqa: SLF001 - there is no public question
            self.profiler.calls += 1

    def _noting_anomaly(self, function: Callable[..., Any]) -> Any:
        @functools.wraps(function)
        def wrapper(enabled: bool, check_nan: bool = True) -> Any:
            if enabled:
                self.anomaly = self._site(_ANOMALY) or self.anomaly
            return function(enabled, check_nan)

        return wrapper

    def _noting_profiler(self, function: Callable[..., Any]) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            self.profiler = self._site(_PROFILER) or self.profiler
            return function(*args, **kwargs)

        return wrapper

    def _site(self, kind: Kind) -> Site | None:
        """The user's line that turns something on; None where a library does so by itself."""
        site = self.watch.ledger.site(kind, "", frame_at(2))
        return site if site.path else None
