"""Which collectives are made only to show their result? A mark stands at the collective."""

from __future__ import annotations

import ast

from tests.analysis.facts import file_model, marked
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.syntax.uses import own_nodes
from trainlint.analysis.tables.collectives import BRINGING_TOGETHER
from trainlint_rules.sync.idioms.logging_collectives import is_logging_collective

CODE = """
    import torch.distributed as dist

    def train(loss, accelerator, meter, scheduler, step, tokens):
        shown_loss = loss.detach()
        dist.all_reduce(shown_loss)  #= yes
        mean = shown_loss / 8
        meter.update(mean.item())
        used_loss = loss.detach()
        dist.all_reduce(used_loss)  #= no
        scheduler.step(used_loss)
        meter.append(accelerator.gather(tokens).sum().item())  #= yes
        scheduler.step(accelerator.gather(tokens).sum().item())  #= no
        first = accelerator.reduce(loss)  #= no
        first.backward()
        print(first)
        count = tokens.sum()
        dist.all_reduce(count)  #= no
        print(count)
        lost = accelerator.gather(loss.detach())  #= no
        last_loss = accelerator.gather(loss.detach())  #= no
        return last_loss
"""


def test_collectives_that_only_show() -> None:
    model = file_model(CODE)
    for statement, block, said in marked(model):
        call = next(
            node
            for node in own_nodes(statement)
            if isinstance(node, ast.Call) and last_name(node.func) in BRINGING_TOGETHER
        )
        found = is_logging_collective(model, call, Place(call, block, statement))
        assert ("yes" if found else "no") == said, statement.lineno
