"""How often `trainlint probe --verify` is wrong about time, by simulation: python -m benchmarks.verify_rule

Pairs of runs are made up, with or without a true gain, and judged by the rule that judges real ones. Four machines:
quiet, in use, loud, and one that is disturbed now and then, where one run of ten takes half as long again. The table is
for docs/probe.md. It takes a few seconds, and gives the same numbers each time.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from math import exp
from random import Random

from trainlint.finding import Safety
from trainlint_probe.verify.fixes import Edit, Proposal
from trainlint_probe.verify.judge import judged
from trainlint_probe.verify.result import End, Outcome, Trial

_FILE = "train.py"
_PROPOSAL = Proposal("TRN101", "loader-without-workers", Safety.SAFE, 1, (Edit(_FILE, _FILE, b""),))
MACHINES = {"quiet (1%)": (0.01, 0.0), "in use (3%)": (0.03, 0.0), "loud (8%)": (0.08, 0.0), "disturbed": (0.03, 0.1)}
"""How far the runs of one program lie apart (the standard deviation), and how often one is disturbed."""
GAINS = (0.0, 0.02, 0.05, 0.10, 0.20)


def outcomes(gain: float, machine: str, *, pairs: int, trials: int, seed: int = 0) -> Counter[Outcome]:
    """What the rule says of so many made-up trials of a fix that takes this share of a step away."""
    random = Random(seed)  # noqa: S311 - a simulation is no secret
    return Counter(_outcome(gain, *MACHINES[machine], pairs, random) for _ in range(trials))


def _outcome(gain: float, spread: float, disturbed: float, pairs: int, random: Random) -> Outcome:
    runs: dict[bool, list[Trial]] = {False: [_run(20.0)], True: []}
    for _ in range(pairs):
        load = exp(random.gauss(0, 0.1))  # what both runs of a pair see of the machine
        for fixed in (False, True):
            luck = exp(random.gauss(0, spread)) * (1.5 if random.random() < disturbed else 1.0)
            runs[fixed].append(_run(20.0 * load * luck * (1 - gain if fixed else 1.0)))
    return judged(_PROPOSAL, runs[False], runs[True]).outcome


def _run(ms: float) -> Trial:
    return Trial(End.WINDOW_CLOSED, (ms, ms), (1.0,), "the same", 1.0, (_FILE,), "SGD.step")


def table(pairs: int, trials: int) -> Iterator[str]:
    """Lines of Markdown: a row for each machine and true gain."""
    yield "| machine | true gain | verified | no gain | inconclusive |"
    yield "| --- | --- | --- | --- | --- |"
    for machine in MACHINES:
        for gain in GAINS:
            found = outcomes(gain, machine, pairs=pairs, trials=trials)
            said = (found[outcome] for outcome in (Outcome.VERIFIED, Outcome.NO_GAIN, Outcome.INCONCLUSIVE))
            yield f"| {machine} | {gain:.0%} | {' | '.join(f'{number / trials:.1%}' for number in said)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--trials", type=int, default=2000)
    typed = parser.parse_args()
    sys.stdout.write("\n".join(table(typed.pairs, typed.trials)) + "\n")


if __name__ == "__main__":
    main()
