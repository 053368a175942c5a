"""The error rates of `--verify` that docs/probe.md promises. The simulation is seeded: it never varies."""

import pytest

from benchmarks.verify_rule import MACHINES, outcomes
from trainlint_probe.verify.result import Outcome


@pytest.mark.parametrize("machine", MACHINES)
def test_a_fix_without_gain_is_verified_at_most_twice_in_a_hundred(machine: str) -> None:
    found = outcomes(0.0, machine, pairs=6, trials=400)
    assert found[Outcome.VERIFIED] <= 8


@pytest.mark.parametrize("machine", MACHINES)
def test_a_gain_of_a_tenth_is_never_called_none(machine: str) -> None:
    found = outcomes(0.1, machine, pairs=6, trials=400)
    assert found[Outcome.NO_GAIN] <= 2


@pytest.mark.parametrize("machine", ["quiet (1%)", "in use (3%)"])
def test_a_gain_of_a_tenth_is_mostly_seen(machine: str) -> None:
    found = outcomes(0.1, machine, pairs=6, trials=400)
    assert found[Outcome.VERIFIED] >= 300
