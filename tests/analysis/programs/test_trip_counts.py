"""Which loops end for good after few rounds?"""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model
from trainlint.analysis.programs.trip_counts import in_short_run
from trainlint.analysis.syntax.blocks import BlockKind

PROGRAM = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--num-iter", type=int, default={default})
args = parser.parse_args()

def run(loader):
    {start}
    for epoch in range(9):
        {again}
        for index, batch in enumerate(loader):
            if {test}:
                break
            {count}
            train(batch)
"""
SHORT = {"start": "n = 0", "again": "pass", "test": "n > args.num_iter", "count": "n += 1", "default": 100}


def is_short(**changes: object) -> bool:
    """Whether what stands in the inner loop of the program is a part of a short run."""
    model = file_model(PROGRAM.format(**SHORT | changes))
    loops = [block for block in model.outline.blocks if block.kind is BlockKind.LOOP]
    return in_short_run(model.outline, loops[-1])


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"test": "n >= 50"},
        {"test": "n == args.num_iter"},
        {"start": "n = 1"},
        {"start": "n = 0; most = 50", "test": "n >= most"},
        {"again": "rounds = 3", "test": "n > rounds"},
        {"again": "if quick: most = 3", "start": "n = 0; last: int = 9", "test": "n >= last"},
    ],
    ids=str,
)
def test_a_search_of_few_steps(changes: dict[str, object]) -> None:
    assert is_short(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"default": 100_000},
        {"default": None},
        {"default": -1},
        {"test": "n < args.num_iter"},
        {"test": "n > steps"},
        {"again": "n = 0"},
        {"test": "index > 50"},
        {"start": "n = 0; most = 5_000", "test": "n >= most"},
        {"start": "n = 0; most = 50", "again": "most = length(loader)", "test": "n >= most"},
        {"start": "n = 0; first, most = 2, 50", "test": "n >= most"},
        {"count": "n = wait(n)"},
        {"count": "if worse(batch): n += 1"},
    ],
    ids=str,
)
def test_a_training_that_goes_on(changes: dict[str, object]) -> None:
    assert not is_short(**changes)
