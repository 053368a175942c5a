"""Which tests let code run on some ranks only."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model, marked
from trainlint.analysis.conditions.forms.ranks import asks_for_rank
from trainlint.analysis.conditions.questions import is_on_some_ranks

GUARDS = """
import torch.distributed as dist

def train(args, model, loader, is_main, world_size):
    rank = dist.get_rank()
    saves = rank in (-1, 0)
    first = is_main_process()
    stop = dist.reduce(rank).item() == 1
    for step, batch in enumerate(loader):
        if rank == 0:
            a = 1  #= yes
        if saves and step % 10 == 0:
            a = 2  #= yes
        if first:
            a = 3  #= yes
        if world_size == 1:
            a = 4  #= no
        if step % args.every == 0:
            a = 5  #= no
        if args.local_rank > 0:
            continue
        a = 6  #= yes

def after_exit(args):
    a = 7  #= no
    if not args.is_master:
        return
    a = 8  #= yes
"""


def test_branches_that_some_ranks_take() -> None:
    model = file_model(GUARDS)
    found = {
        statement.lineno: (is_on_some_ranks(model.conditions.around(block)), said)
        for statement, block, said in marked(model)
    }
    assert {line: "yes" if guarded else "no" for line, (guarded, _) in found.items()} == {
        line: said for line, (_, said) in found.items()
    }


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
