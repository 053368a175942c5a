"""The context manager `budget`, and `allow` for what a budget is not to count."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from trainlint_probe.budgets.account import ALLOWED, OPEN, Account, Region
from trainlint_probe.budgets.decorating import Decorating
from trainlint_probe.budgets.ignoring import is_ignored
from trainlint_probe.budgets.judged import Spending, judge
from trainlint_probe.budgets.limits import UnusableBudget, check_steps, checked_reason, limits_for
from trainlint_probe.budgets.words import exceeded
from trainlint_probe.watch.lines import frame_at

if TYPE_CHECKING:
    from trainlint_probe.budgets.process import ProcessSample


class BudgetExceeded(AssertionError):
    """A block did more than its budget allows. The message names each limit, the count, and the lines."""

    __module__ = "trainlint_probe"  # where it is imported from, as tracebacks show it

    def __init__(self, spending: Spending) -> None:
        super().__init__(exceeded(spending))
        self.spending = spending


class budget(Decorating):  # noqa: N801 - it is used as a function
    """Fails with BudgetExceeded where a block of training steps does more than it may.

    ```python
    with trainlint_probe.budget(syncs=0):
        train_step(batch)
    ```

    Counted is what the block itself does, and what tasks and `asyncio.to_thread` calls that it starts do for it; what
    other threads and tasks do is not. Graph breaks, recompiles and allocations are those of the whole process while
    the block runs. As a decorator, it counts each call by itself.
    """

    def __init__(
        self,
        *,
        syncs: float | None = None,
        pageable_copies: float | None = None,
        graph_breaks: float | None = None,
        recompiles: float | None = None,
        allocations: float | None = None,
        data_wait_percent: float | None = None,
        steps: int = 1,
    ) -> None:
        """Name what is limited, each per step; `steps` is how many steps the block takes.

        Where nothing is named, the limits are those of the configuration that holds for the calling file. Raises
        UnusableBudget where there are none, or one is wrong.
        """
        given = {
            "syncs": syncs,
            "pageable-copies": pageable_copies,
            "graph-breaks": graph_breaks,
            "recompiles": recompiles,
            "allocations": allocations,
            "data-wait-percent": data_wait_percent,
        }
        named = {name: value for name, value in given.items() if value is not None}
        check_steps(steps)
        caller = Path(frame_at(1).f_code.co_filename).absolute()
        self.limits, self.steps = limits_for(named, caller.parent), steps
        self.spending: Spending | None = None
        """What the block did; there once it has ended without an exception of its own."""
        self._account: Account | None = None
        self._began: ProcessSample | None = None

    @classmethod
    def of(cls, limits: Mapping[str, float], steps: int = 1) -> budget:
        """A budget of limits, one or more, by their names in the configuration. Raises UnusableBudget."""
        named = {name.replace("-", "_"): value for name, value in limits.items()}
        return cls(**named, steps=steps)

    def again(self) -> budget:
        """The same budget for one more block."""
        return self.of(self.limits, self.steps)

    def __enter__(self) -> budget:
        """Begin to count. Raises UnusableBudget where this very object counts already, and where there is no GPU to
        wait for.
        """
        from trainlint_probe.budgets import process  # it imports torch

        if self._account is not None:
            raise UnusableBudget("this budget is open already; make one for each block")
        self.spending = None
        process.open_budget(self.limits)
        self._account = Account()
        OPEN.set((*OPEN.get(), self._account))
        self._began = process.sample_process(self.limits)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop counting. Raises BudgetExceeded where the block has not failed by itself, and UnusableBudget where it
        put nothing on the GPU that it was to be judged by.
        """
        __tracebackhide__ = True
        from trainlint_probe.budgets import process

        account, began = self._account, self._began
        assert account is not None
        assert began is not None
        ended = process.sample_process(self.limits, since=began.at)
        self._account = None
        # The block may end in another context than it began in, as fixtures of asynchronous tests do.
        OPEN.set(tuple(each for each in OPEN.get() if each is not account))
        process.closed()
        if kind is None:
            counts = process.counts_between(began, ended, account, self.limits)
            self.spending = judge(
                counts.counted,
                self.limits,
                self.steps,
                not_counted=counts.not_counted,
                is_ignored=is_ignored,
                notes=counts.notes,
            )
            if self.spending.over:
                raise BudgetExceeded(self.spending)


class allow(Decorating):  # noqa: N801 - it is used as a function
    """What is done inside is not counted by the budgets that are open around it. The reason is shown with them.

    ```python
    with trainlint_probe.allow("the loss is logged every 100 steps"):
        logger.log(loss.item())
    ```
    """

    def __init__(self, reason: str) -> None:
        """Raises UnusableBudget where no reason is given."""
        self.reason = checked_reason(reason)

    def again(self) -> allow:
        """It holds no state, so it is its own."""
        return self

    def __enter__(self) -> allow:
        """Begin to allow."""
        ALLOWED.set((*ALLOWED.get(), Region(self.reason, OPEN.get(), self)))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End the innermost region of this object in the present thread or task."""
        regions = list(ALLOWED.get())
        for place in reversed(range(len(regions))):
            if regions[place].owner is self:
                del regions[place]
                break
        ALLOWED.set(tuple(regions))
