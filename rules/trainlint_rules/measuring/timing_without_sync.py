"""TRN901."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import dotted
from trainlint.analysis.types.values import Home
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.measuring.idioms.timing import CLOCKS, unfinished_interval


class TimingWithoutSync(Rule):
    """The host's clock read while the device is still at work on what is timed

    ## Why
    A launch returns as soon as the kernel is queued. A clock that is read right after `loss.backward()` or
    `optimizer.step()` therefore shows how long the launches took, not how long the device computed: the time falls into
    whatever waits next, such as a log line. Decisions built on such numbers improve the wrong thing.

    ## Example
    ```python
    import time

    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            start = time.perf_counter()
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seconds = time.perf_counter() - start
            print(seconds)
    ```

    ## Use instead
    ```python
    import time

    import torch


    def train(model, criterion, optimizer, train_loader, device):
        for step, (inputs, targets) in enumerate(train_loader):
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            if step % 100 == 0:
                torch.cuda.synchronize()
            start = time.perf_counter()
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 100 == 0:
                torch.cuda.synchronize()
                print(time.perf_counter() - start)
    ```

    `torch.cuda.Event(enable_timing=True)`, recorded before and after and read later, measures without a wait, and
    `torch.utils.benchmark.Timer` waits by itself.

    ## Stays silent
    Where anything between the last launch and the clock waits for the device, or may do so: a read, a function that is
    not in sight. For timers that go round with the loop, from the end of one step to the end of the next, and for
    whole epochs: the queue is bounded, so they are right on average. For code that names no device. Where the duration
    becomes a throughput, TRN905 speaks.

    ## Confirmed by
    The same interval measured with `torch.cuda.synchronize()` before both reads of the clock is longer.

    ## Gain
    Right numbers. The training itself becomes no faster.

    ## References
    - Asynchronous execution: https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    - `torch.utils.benchmark`: https://docs.pytorch.org/tutorials/recipes/recipes/benchmark.html
    """

    code = "TRN901"
    name = "timing-without-sync"
    severity = Severity.WARNING
    heat_matters = False
    triggers = Triggers(calls=CLOCKS)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find reads of the clock that end an interval whose device work nothing has waited for."""
        if site.file.device is not Home.DEVICE:
            return
        interval = unfinished_interval(site.file, site.call, site.place)
        if interval is None or interval.divides:
            return
        what = dotted(interval.work.func) or "the last call"
        message = (
            f"the device may still be at work on `{what}()` of line {interval.work.lineno} when this clock is read, so "
            "it measures the launch; wait with `torch.cuda.synchronize()` before both reads, or use `torch.cuda.Event`"
        )
        yield self.finding(site, message, confidence=0.85)
