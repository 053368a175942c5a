"""Runs a user's own training for a few steps and says what it was seen to do. The only room that imports PyTorch.

`budget`, `allow` and `simulated_gpu` are for tests and trainings of the user's own: docs/budgets.md.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint_probe.budgets.guard import BudgetExceeded, allow, budget
    from trainlint_probe.budgets.limits import UnusableBudget
    from trainlint_probe.simulated.context import simulated_gpu

__all__ = ["BudgetExceeded", "UnusableBudget", "allow", "budget", "simulated_gpu"]


def __getattr__(name: str) -> object:
    """What tests import, imported when it is first asked for: the commands do without it."""
    if name == "simulated_gpu":
        from trainlint_probe.simulated import context

        return context.simulated_gpu
    if name in __all__:
        from trainlint_probe.budgets import guard

        return getattr(guard, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
