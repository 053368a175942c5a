"""Which moves are made for nothing, and which drawn numbers go to the device alone?"""

from __future__ import annotations

import ast

from tests.analysis.facts import file_model, marked
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import last_name
from trainlint.analysis.syntax.uses import own_nodes
from trainlint_rules.sync.idioms.drawn_numbers import MAKERS, drawn_for_device
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

DRAWN = """
    import numpy as np
    import torch

    Tensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor
    Host = torch.FloatTensor

    def f(device, weights):
        a = Tensor(np.random.rand(3))  #= yes
        b = Host(np.random.rand(3))  #= no
        c = torch.from_numpy(np.random.rand(3)).float().to(device)  #= yes
        d = torch.from_numpy(np.random.rand(3)).float()  #= no
        e = torch.tensor(np.random.choice(3, p=weights), device=device)  #= no
        g = torch.tensor(np.zeros(3), device=device)  #= no
        drawn = np.random.rand(3)
        h = torch.tensor(drawn, device=device)  #= no
        return a, b, c, d, e, g, h, drawn.sum()
"""


def test_moves_for_nothing() -> None:
    model = file_model(MOVES)
    for statement, block, said in marked(model):
        value = getattr(statement, "value", None)
        confidence = dropped_move(model, Place(value, block, statement)) if isinstance(value, ast.Call) else 0.0
        assert ("surely" if confidence > 0.9 else "likely" if confidence else "no") == said, statement.lineno


def test_numbers_drawn_for_the_device() -> None:
    model = file_model(DRAWN)
    for statement, block, said in marked(model):
        names = MAKERS | {"Host"}
        calls = [node for node in own_nodes(statement) if isinstance(node, ast.Call) and last_name(node.func) in names]
        found = any(drawn_for_device(model, call, Place(call, block, statement)) for call in calls)
        assert ("yes" if found else "no") == said, statement.lineno
