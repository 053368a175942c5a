"""Ten thousand programs, and none that trainlint fails on: real files changed at random, and any grammar allows.

A program that fails here is put into a small test beside what was mended.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.nightly.fuzzed import faults, mutated, parsing

PROGRAMS = int(os.environ.get("TRAINLINT_FUZZ_PROGRAMS", "10000"))
"""Set the variable to a small number for a quick look at whether the nightly tests work."""
GENERATED = max(1, PROGRAMS // 10)
MUTATED = PROGRAMS - GENERATED
A_PART = 500
"""Programs of one test, so that a run in parallel can share them out."""
SAMPLE = 25


def _failing(seeds: range) -> dict[int, list[str]]:
    """What is wrong, by the seed of the program: `mutated(seed)` shows it."""
    return {seed: found for seed in seeds if (found := faults(mutated(seed)))}


def test_a_few_changed_files_are_judged_and_fixed() -> None:
    assert not _failing(range(SAMPLE))


def test_many_of_the_changed_files_are_still_python() -> None:
    assert parsing([mutated(seed) for seed in range(200)]) > 60


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(0, MUTATED, A_PART))
def test_changed_files_are_judged_and_fixed(first: int) -> None:
    assert not _failing(range(first, min(first + A_PART, MUTATED)))


@pytest.mark.nightly
def test_programs_of_any_grammar_are_judged_and_fixed() -> None:
    import hypothesmith  # takes a second, which the sample does without

    @settings(
        max_examples=GENERATED,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(hypothesmith.from_grammar() | hypothesmith.from_node())
    def holds(text: str) -> None:
        assert not faults(text)

    holds()
