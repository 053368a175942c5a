"""Which moves are made for nothing?"""

from __future__ import annotations

import ast

from tests.analysis.facts import file_model, marked
from trainlint.analysis.syntax.blocks import Place
from trainlint_rules.sync.idioms.dropped_moves import dropped_move

MOVES = """
    import torch
    from torch import nn
    from torch.utils.data import DataLoader

    def f(dataset, device):
        net = nn.Linear(3, 3)
        net.to(device)  #= no
        table = torch.zeros(3)
        table.to(device)  #= surely
        table.to(torch.float16)  #= no
        table = table.cuda()  #= no
        for i, (x, y) in enumerate(DataLoader(dataset)):
            x.to(device)  #= likely
        for batch in DataLoader(dataset):
            batch.to(device)  #= no
"""


def test_moves_for_nothing() -> None:
    model = file_model(MOVES)
    for statement, block, said in marked(model):
        value = getattr(statement, "value", None)
        confidence = dropped_move(model, Place(value, block, statement)) if isinstance(value, ast.Call) else 0.0
        assert ("surely" if confidence > 0.9 else "likely" if confidence else "no") == said, statement.lineno
