"""Which tests let code run on some ranks only, and which in the first process alone."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model, marked
from trainlint.analysis.conditions.forms.ranks import asks_for_rank, is_main_only
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


def asked(test: str) -> tuple[bool | None, bool]:
    model = file_model(f"def f(rank, args, self, distributed, local_rank):\n    main = rank == 0\n    x = {test}\n")
    statement = next(item for item in model.outline.block_of if item.lineno == 3)
    assert isinstance(statement, ast.Assign)
    block = model.outline.block_of[statement]
    return is_main_only(statement.value, block), asks_for_rank(statement.value, block)


@pytest.mark.parametrize(
    "test", ["rank == 0", "not rank", "args.rank == 0 and distributed", "is_main_process()", "self.is_master", "main"]
)
def test_the_first_process_alone(test: str) -> None:
    assert asked(test) == (True, True)


@pytest.mark.parametrize("test", ["rank != 0", "rank > 0", "not is_main_process()", "not main"])
def test_all_but_the_first(test: str) -> None:
    assert asked(test) == (False, True)


@pytest.mark.parametrize("test", ["local_rank == 0", "rank != -1", "rank in (-1, 0)", "rank >= 0", "rank == 1"])
def test_other_tests_of_ranks(test: str) -> None:
    assert asked(test) == (None, True)


def test_no_test_of_ranks() -> None:
    assert asked("distributed and args.steps == 0") == (None, False)
