"""TRN905."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import dotted
from trainlint.analysis.types.values import Home
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.measuring.idioms.timing import CLOCKS, unfinished_interval


class ThroughputFromHostClock(Rule):
    """Samples a second computed from a host clock that did not wait for the device

    ## Why
    A launch returns as soon as the kernel is queued, so the duration holds the launches and not the device's work. What
    is divided by it, images, tokens or frames a second, comes out too high, often by several times, and jumps whenever
    something else happens to wait.

    ## Example
    ```python
    import time

    import torch


    def frames_per_second(model, image, rounds):
        model = model.eval().to("cuda")
        image = image.to("cuda")
        with torch.no_grad():
            start = time.perf_counter()
            for _ in range(rounds):
                model(image)
            seconds = time.perf_counter() - start
        return rounds / seconds
    ```

    ## Use instead
    ```python
    import time

    import torch


    def frames_per_second(model, image, rounds):
        model = model.eval().to("cuda")
        image = image.to("cuda")
        with torch.no_grad():
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(rounds):
                model(image)
            torch.cuda.synchronize()
            seconds = time.perf_counter() - start
        return rounds / seconds
    ```

    ## Stays silent
    Where anything between the last launch and the clock waits for the device, or may do so. For timers that go round
    with a training loop, and for whole epochs: they are right on average. For code that names no device. Where nothing
    is divided by the duration, TRN901 speaks.

    ## Confirmed by
    The same rate, measured with `torch.cuda.synchronize()` before both reads of the clock, is lower.

    ## Gain
    Right numbers. The program itself becomes no faster.

    ## References
    - Asynchronous execution: https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    - `torch.utils.benchmark`: https://docs.pytorch.org/tutorials/recipes/recipes/benchmark.html
    """

    code = "TRN905"
    name = "throughput-from-host-clock"
    severity = Severity.WARNING
    heat_matters = False
    preview = True
    triggers = Triggers(calls=CLOCKS)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find reads of the clock that end an unfinished interval by whose length something is divided."""
        if site.file.device is not Home.DEVICE:
            return
        interval = unfinished_interval(site.file, site.call, site.place)
        if interval is None or not interval.divides:
            return
        what = dotted(interval.work.func) or "the last call"
        message = (
            f"this rate counts the launch of `{what}()` of line {interval.work.lineno}, not the device's work on it; "
            "wait with `torch.cuda.synchronize()` before both reads of the clock"
        )
        yield self.finding(site, message, confidence=0.85)
