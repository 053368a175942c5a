"""Which statements stand right before a host read? A mark says so of the statement that it ends."""

from __future__ import annotations

import ast

from tests.analysis.facts import file_model, marked
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.uses import own_nodes
from trainlint_rules.sync.idioms.reads.following_reads import read_follows

CODE = """
    import torch

    def f(flag, mask):
        there = torch.ones(8, device="cuda")
        if flag:
            a = there.sum()  #= read
        else:
            a = there.sum()  #= read
        shown = a.item()
        b = there.abs().mean()  #= none
        flag.set()
        flag.set()
        c = there.sqrt()  #= read
        kept = there[there > 0]
        for _ in range(3):
            d = there.neg()  #= none
        last = a.tolist()
        e = there.abs()  #= none
        bad = torch.isnan(there).any().item()
        return b, c, d, e, kept, last, shown, bad
"""


def test_reads_right_after() -> None:
    model = file_model(CODE)
    for statement, block, said in marked(model):
        call = next(node for node in own_nodes(statement) if isinstance(node, ast.Call))
        found = "read" if read_follows(model, Place(call, block, statement)) else "none"
        assert found == said, statement.lineno
