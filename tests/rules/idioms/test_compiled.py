"""Which functions run compiled?"""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model
from trainlint_rules.attention.idioms.compiled import compiled_around

CODE = """
import functools
import torch
from torch import compile as fast, nn

@torch.compile
def bare(x):
    return helper(x)

@torch.compile(fullgraph=True)
def whole(x):
    return x

@torch.compiler.disable
def kept_out(x):
    return x

def helper(x):
    return deeper(x) + kept_out(x)

def deeper(x):
    return x

def named(x):
    return x

def other(x):
    return x

class Network(nn.Module):
    def forward(self, x):
        return self.part(x)

    def part(self, x):
        return x

    def aside(self, x):
        return x

class Trainer:
    def step(self, x):
        return x

    def start(self):
        self.fast_step = torch.compile(self.step)

quick = fast(named)
model = Network().cuda()
model = torch.compile(Network())
mine = compile("other(1)", "", "exec")
"""


def compiled(name: str) -> bool | None:
    """Whether all of a function is one graph; None where it is not compiled."""
    file = file_model(CODE)
    function = next(item for item in file.outline.functions if item.qualified_name == name)
    found = compiled_around(file, function)
    return found.whole if found is not None else None


@pytest.mark.parametrize(
    "name", ["bare", "helper", "deeper", "named", "Network.forward", "Network.part", "Trainer.step"]
)
def test_compiled(name: str) -> None:
    assert compiled(name) is False


def test_compiled_as_one_graph() -> None:
    assert compiled("whole") is True


@pytest.mark.parametrize("name", ["kept_out", "other", "Network.aside", "Trainer.start"])
def test_not_compiled(name: str) -> None:
    assert compiled(name) is None
