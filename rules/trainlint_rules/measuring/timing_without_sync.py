"""TRN901."""

from __future__ import annotations

from trainlint_rules.measuring import TimedWorkRule
from trainlint_rules.measuring.idioms.timed_work import becomes_rate, waited_for


class TimingWithoutSync(TimedWorkRule):
    """The host's clock read while the device is still at work on what is timed

    ## Why
    A launch returns as soon as the kernel is queued. A clock that is read right after `loss.backward()` or
    `optimizer.step()` therefore shows how long the launches took, not how long the device computed: the time falls into
    whatever waits next, such as a log line. Decisions built on such numbers improve the wrong thing.

    Timers that go round with the loop, from the end of one step to the end of the next, and those of whole epochs are
    right on average, because the queue is bounded: they are not reported.

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
    preview = True
    unless = (waited_for, becomes_rate)
    message = "`{text}` is read while the GPU may still run `{work}()` (line {line})"
    help = "time it with `torch.cuda.Event`, or call `torch.cuda.synchronize()` before both reads of the clock"
