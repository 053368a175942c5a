"""What has been through a softmax, and where is a module called that is built here?"""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model, marked, value_of
from trainlint_rules.attention.idioms.built import calls_of
from trainlint_rules.attention.idioms.softened import softened

SNIPPETS = {
    "functions and methods": """
        import torch
        import torch.nn.functional as F
        def f(x, unknown):
            a = F.softmax(x, dim=1)  #= softmax 1
            b = a.view(-1, 4)  #= softmax 1
            c = x.log_softmax(-1)  #= log_softmax -1
            d = torch.softmax(x, -1).float()  #= softmax -1
            e = unknown.softmax(x)  #= no
            g = a * x  #= no
            if x is None:
                a = x
            h = a  #= no
    """,
    "modules": """
        from torch import nn
        class Both(nn.Module):
            def forward(self, x):
                return x, nn.Softmax(dim=1)(x)
        class Some(nn.Module):
            def forward(self, x):
                if self.training:
                    return x
                return x.softmax(1)
        class Last(nn.Module):
            def __init__(self):
                self.read = nn.Sequential(nn.Linear(4, 4), nn.LogSoftmax(dim=-1))
            def forward(self, x):
                return self.read(x)
        def f(x):
            both, some, last = 1, Some(), 2
            pair = Both()
            scores, probabilities = pair(x)
            a = scores  #= no
            b = probabilities  #= softmax 1
            varied = Some()
            c = varied(x)  #= no
            end = Last().cuda()
            d = end(x)  #= log_softmax -1
    """,
}

CALLS = """
    from torch import nn
    shared = nn.Linear(1, 1)  #= 30
    class A(nn.Module):
        def __init__(self, other):
            self.own = nn.Linear(1, 1).cuda()  #= 10 14
            self.two = nn.Linear(1, 1)  #= none
            self.two = other
        def forward(self, x):
            y = self.own(x)
            z = self.two(x)
            return y
        def other(self, x):
            return self.own(x)
    class B(nn.Module):
        def __init__(self, own):
            self.own = own
        def forward(self, x):
            return self.own(x)
    def f(x, shared):
        local = nn.Linear(1, 1)  #= 22
        y = local(x)
        z = shared(x)
        direct = nn.Linear(1, 1)(x)  #= 24
        changed = nn.Linear(1, 1)  #= none
        changed = x
        return changed(x)
    def g(x):
        w = 0
        return shared(x)
"""


@pytest.mark.parametrize("snippet", SNIPPETS.values(), ids=SNIPPETS)
def test_softmaxes_behind_values(snippet: str) -> None:
    model = file_model(snippet)
    for statement, block, said in marked(model):
        found = softened(model, value_of(statement), block)
        assert (f"{found.function} {found.dimension}" if found is not None else "no") == said, ast.unparse(statement)


def test_calls_of_what_is_built_here() -> None:
    model = file_model(CALLS)
    for statement, _, said in marked(model):
        place = next(place for place in model.outline.calls["Linear"] if place.statement is statement)
        lines = [call.statement.lineno for call in calls_of(model, place)]
        assert (" ".join(map(str, lines)) or "none") == said, ast.unparse(statement)
