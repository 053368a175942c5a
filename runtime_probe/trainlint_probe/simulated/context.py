"""The context `simulated_gpu`, for tests and for notebooks."""

from __future__ import annotations

from types import TracebackType

from trainlint_probe.budgets import on_simulation, process
from trainlint_probe.budgets.decorating import Decorating
from trainlint_probe.budgets.limits import UnusableBudget
from trainlint_probe.simulated.simulation import Simulation


class simulated_gpu(Decorating):  # noqa: N801 - it is used as a function
    """A GPU that exists only in name: inside, `device="cuda"` works on any machine, and budgets count exactly.

    ```python
    with trainlint_probe.simulated_gpu():
        model.to("cuda")
        with trainlint_probe.budget(syncs=0):
            train_step(model, batch)
    ```

    The CPU computes. Which tensors lie on the GPU is bookkeeping, which lasts as long as this object: it can be
    entered again. Also a decorator, of coroutines too.
    """

    def __init__(self, gpu: str = "h100", devices: int = 1, *, values: bool = True) -> None:
        """`gpu` is a name that `trainlint plan --gpu` takes; the machine has 1 to 8 of it. Without `values`, nothing
        is computed on them, and reads give 0. Raises ValueError.
        """
        self.simulation = Simulation(gpu, devices, values=values)
        """The machine. Its `log` has all waits and copies so far."""

    def again(self) -> simulated_gpu:
        """The same machine, so that tensors of one call are known in the next."""
        return self

    def __enter__(self) -> simulated_gpu:
        """Turn it on for this process. Raises UnusableBudget inside of another one, and inside of a budget."""
        if on_simulation.is_on():
            raise UnusableBudget("a simulated GPU is on already; name more devices, as in simulated_gpu(devices=2)")
        if process.is_budget_open():
            raise UnusableBudget("open the budget inside of the simulated GPU, and not around it")
        self.simulation.__enter__()
        on_simulation.begin(self.simulation, process.lines())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Turn it off."""
        on_simulation.end()
        self.simulation.__exit__(kind, error, traceback)
