"""TRN906."""

from __future__ import annotations

from trainlint.analysis.site import Site
from trainlint.contract.declared_rule import Match
from trainlint.finding import Severity
from trainlint_rules.measuring import ClockRule
from trainlint_rules.measuring.idioms.timed_work import chooses_nothing, first_timed, warmed_up


class BenchmarkWithoutWarmUp(ClockRule):
    """A timed loop whose first round compiles the model or chooses its kernels

    ## Why
    The first call of a compiled model runs the compiler, for seconds to minutes, and with `cudnn.benchmark` the first
    call of each shape tries several kernels. The allocator asks the driver for memory, too. A mean over a few rounds
    that include the first shows that, not the model.

    ## Example
    ```python
    import time

    import torch


    def seconds_per_round(network, batch, rounds):
        model = torch.compile(network.to("cuda"))
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(rounds):
            model(batch)
        torch.cuda.synchronize()
        return (time.perf_counter() - start) / rounds
    ```

    ## Use instead
    ```python
    import time

    import torch


    def seconds_per_round(network, batch, rounds):
        model = torch.compile(network.to("cuda"))
        for _ in range(3):
            model(batch)
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(rounds):
            model(batch)
        torch.cuda.synchronize()
        return (time.perf_counter() - start) / rounds
    ```

    `torch.utils.benchmark.Timer` runs a round before it measures, and waits for the device.

    ## Confirmed by
    The first round of the loop, timed by itself, takes many times as long as the second.

    ## Gain
    Right numbers. The program itself becomes no faster.

    ## References
    - `torch.utils.benchmark`: https://docs.pytorch.org/tutorials/recipes/recipes/benchmark.html
    - `torch.compile`, whose first calls are slow:
      https://docs.pytorch.org/tutorials/intermediate/torch_compile_tutorial.html
    """

    code = "TRN906"
    name = "benchmark-without-warm-up"
    severity = Severity.ADVICE
    preview = True
    unless = (warmed_up, chooses_nothing)
    message = "the timed loop includes its first round, which compiles or chooses kernels (line {line})"
    help = "call the model a few times before the clock starts"

    def found(self, site: Site) -> Match | None:
        """A read of the clock that ends a loop over one model."""
        first = first_timed(site)
        return Match(site, fields={"line": first.call.lineno}) if first is not None else None
