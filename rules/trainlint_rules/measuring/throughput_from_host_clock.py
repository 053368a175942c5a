"""TRN905."""

from __future__ import annotations

from trainlint_rules.measuring import TimedWorkRule
from trainlint_rules.measuring.idioms.timed_work import stays_duration, waited_for


class ThroughputFromHostClock(TimedWorkRule):
    """Samples a second computed from a host clock that did not wait for the device

    ## Why
    A launch returns as soon as the kernel is queued, so the duration holds the launches and not the device's work. What
    is divided by it, images, tokens or frames a second, comes out too high, often by several times, and jumps whenever
    something else happens to wait. Timers that go round with a training loop and those of whole epochs are right on
    average: they are not reported.

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
    preview = True
    unless = (waited_for, stays_duration)
    message = "this rate is too high: its clock is read while the GPU may still run `{work}()` (line {line})"
    help = "call `torch.cuda.synchronize()` before both reads of the clock"
