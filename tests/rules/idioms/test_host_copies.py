"""Who reads a copy to the host before it has arrived? A mark stands at the copy, and names the line of the read."""

from __future__ import annotations

import ast

from tests.analysis.facts import file_model, marked
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.uses import own_nodes
from trainlint_rules.sync.idioms.host_copies import first_read, may_wait_between, queued_copy

CODE = """
    import torch

    def f(flag, show):
        there = torch.ones(8, device="cuda")
        a = there.to("cpu", non_blocking=True)  #= +1
        total = a + 1
        b = there.to("cpu", non_blocking=flag)  #= no copy
        c = there.cpu()  #= no copy
        d = total.to("cpu", non_blocking=True)  #= no copy
        e = there.to("cpu", non_blocking=True).mean()  #= +0
        g = there.to("cpu", non_blocking=True)  #= none
        torch.cuda.synchronize()
        total += g.sum()
        kept = []
        for _ in range(3):
            kept.append(there.to("cpu", non_blocking=True))  #= +1
        every = torch.stack(kept)
        h = there.to("cpu", non_blocking=True)  #= none
        show(total, every)
        return b, c, d, e, h.numpy()
"""


def test_reads_of_queued_copies() -> None:
    model = file_model(CODE)
    for statement, block, said in marked(model):
        place = next(
            Place(node, block, statement)
            for node in own_nodes(statement)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("to", "cpu")
        )
        assert isinstance(place.node, ast.Call)
        copy = queued_copy(model, place.node, place)
        if copy is None:
            assert said == "no copy", statement.lineno
            continue
        read = first_read(model, copy, place)
        early = read is not None and not may_wait_between(model, copy, read, place)
        found = f"+{getattr(read.node, 'lineno', 0) - statement.lineno}" if read is not None and early else "none"
        assert found == said, statement.lineno
