"""Which tests ask for the rank of a process."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model
from trainlint.analysis.conditions.ranks import asks_for_rank


@pytest.mark.parametrize(
    ("test", "asks"),
    [
        ("rank == 0", True),
        ("not is_main_process()", True),
        ("main", True),
        ("local_rank == 0", True),
        ("rank in (-1, 0)", True),
        ("distributed and args.steps == 0", False),
    ],
)
def test_tests_of_ranks(test: str, asks: bool) -> None:
    model = file_model(f"def f(rank, args, self, distributed, local_rank):\n    main = rank == 0\n    x = {test}\n")
    statement = next(item for item in model.outline.block_of if item.lineno == 3)
    assert isinstance(statement, ast.Assign)
    assert asks_for_rank(statement.value, model.outline.block_of[statement]) is asks
