"""A file twice as long is twice the work, whatever is in it. Work is counted in lines of Python that run."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest

from tests.analysis.facts import file_model
from trainlint.analysis.syntax.reaching import reaching

FEW, MANY = 150, 600
"""A part whose work is quadratic shows itself before it is most of the work."""


def lines_run(action: Callable[[], object]) -> int:
    """How many lines run while an action is taken, each round of a loop counted."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(before)
    return count


def look_at(code: str) -> None:
    """All that is made of a file before values are asked for."""
    model = file_model(code)
    assert model.uses is not None
    for block in model.outline.blocks:
        model.heats.of(block)
        model.gradients.off(block)


def early_exits(count: int) -> str:
    return "def f(x, y):\n" + "".join(
        f"    if x == {i} and y is not None:\n        return g({i})\n" for i in range(count)
    )


def alternatives(count: int) -> str:
    tests = "".join(f"    elif x == {i} and y is None:\n        return g({i})\n" for i in range(count))
    return f"def f(x, y=None):\n    if x:\n        pass\n{tests}"


def one_name(count: int) -> str:
    return "def f(x, y):\n" + "    x = x.to(y)\n" * count


def one_name_in_a_loop(count: int) -> str:
    return "def f(x, y):\n    for i in y:\n" + "        x = x.to(i)\n" * count


def one_attribute(count: int) -> str:
    return "class A:\n" + "".join(f"    def m{i}(self):\n        self.a = self.a.to({i})\n" for i in range(count))


def methods(count: int) -> str:
    return "class A:\n" + "".join(f"    def m{i}(self, x):\n        self.m{i - 1}(x).item()\n" for i in range(count))


def decorated_functions(count: int) -> str:
    start = "def manager():\n    return torch.no_grad()\n"
    return start + "".join(f"@manager\ndef f{i}(x):\n    with manager():\n        g(x)\n" for i in range(count))


def training_loops(count: int) -> str:
    loop = "    for batch in loader:\n        model(batch).backward()\n        opt.step()\n        env.step(1)\n"
    return "def train(loader, model, opt, env):\n" + loop * count


def entries(count: int) -> str:
    return "table = {" + "".join(f'"key {i}": ({i}, f({i})), ' for i in range(count)) + "}\n"


@pytest.mark.parametrize(
    "written",
    [
        early_exits,
        alternatives,
        one_name,
        one_name_in_a_loop,
        one_attribute,
        methods,
        decorated_functions,
        training_loops,
        entries,
    ],
)
def test_work_grows_no_faster_than_the_file(written: Callable[[int], str]) -> None:
    look_at(written(2))  # what is remembered from file to file is worked out here
    few, many = (lines_run(partial(look_at, written(count))) for count in (FEW, MANY))
    assert many < 1.3 * few * MANY / FEW


def test_a_name_that_is_bound_everywhere_costs_no_more_than_its_nearest_bindings() -> None:
    written = (
        "def f(x, y):\n    for i in y:\n" + "        if i:\n            x = x.to(i)\n" * 1500 + "        x.item()\n"
    )
    model = file_model(written)
    (read,) = model.outline.calls["item"]
    assert lines_run(lambda: reaching("x", read.block, (10**6, 0))) < 20_000


def test_loaders_are_looked_for_once_in_each_expression() -> None:
    wrappers = "".join(f"x{i + 1} = wrap(x{i}, x{i})\n" for i in range(MANY))
    loader = "from torch.utils.data import DataLoader\nx0 = DataLoader(data)\n"
    model = file_model(f"{loader}{wrappers}for batch in x{MANY}:\n    pass\n")
    (loop,) = model.outline.loops
    assert isinstance(loop.node, ast.For)
    ask = partial(model.batches.loaders_behind, loop.node.iter, loop.block)
    assert ask() == set(model.loaders.built.values())
    assert lines_run(ask) < 100 * MANY


def test_a_name_is_worked_out_at_one_of_its_uses() -> None:
    model = file_model("import torch\nx = torch.ones(3).to(y).view(1)[0]\nx.item()\nx.item()\n")
    costs = []
    for place in model.outline.calls["item"]:
        assert isinstance(place.node, ast.Call)
        assert isinstance(place.node.func, ast.Attribute)
        costs.append(lines_run(partial(model.kinds.of, place.node.func.value, place.block)))
    at_first, at_second = costs
    assert at_second < at_first / 4
