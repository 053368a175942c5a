"""TRN906."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import constant
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.types.values import Home
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers
from trainlint_rules.measuring.idioms.timing import CLOCKS, timed_without_warm_up


class BenchmarkWithoutWarmUp(Rule):
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

    ## Stays silent
    Where the model was called before in the same function, where anything there is called warm-up, and where the file
    neither compiles this model nor switches `cudnn.benchmark` on.

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
    heat_matters = False
    preview = True
    triggers = Triggers(calls=CLOCKS)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find timed loops that call a compiled model, or one whose kernels are still chosen, for the first time."""
        if site.file.device is not Home.DEVICE:
            return
        first = timed_without_warm_up(site.file, site.call, site.place)
        if first is None or not (_is_compiled(site, first) or _chooses_kernels(site)):
            return
        message = (
            f"the first round of this loop, line {first.lineno}, compiles or chooses kernels, and its time is counted; "
            "call the model a few times before the clock starts"
        )
        yield self.finding(site, message, confidence=0.8)


def _is_compiled(site: Site, call: ast.Call) -> bool:
    made = single_value(call.func, site.block)
    return isinstance(made, ast.Call) and site.origin(made.func) == "torch.compile"


def _chooses_kernels(site: Site) -> bool:
    return any(
        isinstance(place.statement, ast.Assign)
        and constant(place.statement.value) is True
        and site.origin(place.statement.targets[0]) == "torch.backends.cudnn.benchmark"
        for place in site.file.outline.stores.get("benchmark", ())
    )
