"""What is a read of a device value for? A mark stands at the read's statement."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model, marked
from trainlint.analysis.syntax.uses import own_nodes
from trainlint_rules.sync.idioms.reads.read_purposes import copy_purpose, purpose

READS = {
    "agreements": """
        import torch
        import torch.distributed as dist
        def send(value):
            dist.broadcast(value, 0)
        def f(loss, accelerator, device, last):
            flag = torch.tensor(last, device=device)
            dist.all_reduce(flag)
            a = bool(flag.item())  #= AGREEMENT
            b = flag.item()  #= none
            if flag.item() > 0:  #= AGREEMENT
                pass
            dist.all_reduce(loss)
            c = loss.item() > 0  #= none
            rows = torch.tensor([3], device=device)
            send(rows)
            d = int(rows.item())  #= AGREEMENT
            e = accelerator.reduce(flag).item() >= 1  #= AGREEMENT
            g = accelerator.reduce(loss).item() >= 1  #= none
    """,
    "text, evaluation and drivers": """
        import ray
        def f(tokenizer, rows, lengths):
            for row in rows:
                a = lengths[row].item()  #= TEXT
                text = tokenizer.decode(row)
            b = lengths.sum().item()  #= none
            for row in rows:
                c = lengths[row].item()  #= none
                if c == 0:
                    text = tokenizer.decode(row)
        def generate(done):
            if done.all().item():  #= TEXT
                return None
            if done.any().item():  #= none
                trim(done)
            while True:
                if done.all().item():  #= TEXT
                    break
        def _eval_step(hits):
            return hits.sum().item()  #= EVALUATION
        def validate_input(x):
            return x.max().item()  #= none
        class Trainer:
            def train_step(self, rewards):
                return rewards.mean().item()  #= DRIVER
            def fit(self):
                return ray.get(self.workers)
        class Worker:
            def train_step(self, rewards):
                return rewards.mean().item()  #= none
    """,
}


@pytest.mark.parametrize("code", READS.values(), ids=READS.keys())
def test_purpose_of_a_read(code: str) -> None:
    model = file_model(code)
    for statement, block, said in marked(model):
        read = next(
            node
            for node in own_nodes(statement)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "item"
        )
        found = purpose(model, read, block, statement)
        assert (found.name if found else "none") == said, statement.lineno


COPIES = """
    import torch
    from torch import nn
    class Encoder(nn.Module):
        def forward(self, x):
            return x.cpu()  #= FORWARD_ON_HOST
    def report(x):
        return x.cpu()  #= none
    def speak(x, tokenizer):
        return tokenizer.decode(x.tolist())  #= TEXT
    def make_room(sizes_shape):
        return sizes_shape.tolist()  #= SHAPE
"""


def test_purpose_of_a_copy() -> None:
    model = file_model(COPIES)
    for statement, block, said in marked(model):
        copy = next(
            node
            for node in own_nodes(statement)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("cpu", "tolist")
        )
        found = copy_purpose(model, copy, block, statement)
        assert (found.name if found else "none") == said, statement.lineno
