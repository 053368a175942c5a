"""What an open budget costs: `python -m benchmarks.budget_cost`.

Times are those for which the thread computes, so that other programs on the machine lengthen them little; of several
rounds, in turn with and without a budget, the fastest counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf

ROUNDS, CALLS = 15, 2000


def main() -> None:
    """Print a table in Markdown."""
    import torch

    from trainlint_probe import allow, budget

    torch.set_num_threads(1)
    number, values, reason = torch.zeros(()), torch.zeros(8), allow("it is measured")

    def opened() -> None:
        with budget(syncs=0):
            pass

    def allowed() -> None:
        with reason:
            pass

    print("| call | µs without a budget | µs in an open one |")  # noqa: T201 - a benchmark prints
    print("| --- | --- | --- |")  # noqa: T201
    for name, call in (
        ("`loss.item()`", lambda: number.item()),
        ("`x.tolist()`", lambda: values.tolist()),
        ("`x[1:]`", lambda: values[1:]),
        ('`x.to("cpu")`', lambda: values.to("cpu")),
        ("`with allow(reason): pass`", allowed),
    ):
        without, within = inf, inf
        for _ in range(ROUNDS):
            without = min(without, _microseconds(call))
            with budget(syncs=inf):
                within = min(within, _microseconds(call))
        print(f"| {name} | {without:.2f} | {within:.2f} |")  # noqa: T201
    whole = min(_microseconds(opened, calls=100) for _ in range(ROUNDS))
    print(f"\nTo open and close a budget takes {whole:.0f} µs.")  # noqa: T201


def _microseconds(call: Callable[[], object], calls: int = CALLS) -> float:
    start = time.thread_time_ns()
    for _ in range(calls):
        call()
    return (time.thread_time_ns() - start) / calls / 1e3


if __name__ == "__main__":
    main()
