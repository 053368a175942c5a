"""Branches that shipped settings do not take: by options, parameters, attributes and answers of helpers."""

from __future__ import annotations

import textwrap

import pytest

from tests.analysis.project.project import project
from trainlint.analysis.frequency.heat_fact import HeatFact
from trainlint.finding import Heat

OPTIONS = """
    import argparse
    from dataclasses import dataclass

    FLIP = False

    def parse():
        parser = argparse.ArgumentParser()
        parser.add_argument("--penalty", default="square", choices=["square", "log", "cube"])
        parser.add_argument("--draw_every", type=int, default=None)
        parser.add_argument("--levels", type=int, default=1)
        parser.add_argument("--smooth", action="store_true")
        parser.add_argument("--two_sided", default="False", type=truth)
        parser.add_argument("--late", action="store_true")
        return parser.parse_args()

    @dataclass
    class ModelConfig:
        kind: str = "plain"
"""
TRAIN = """
    from options import FLIP, ModelConfig, parse

    def train(model, loader, optimizer, args):
        {before}
        for batch in loader:
            loss = model(batch)
            loss.backward()
            optimizer.step()
            {call}

    def late(args):
        args.late = True

    def act(x, penalty="square"):
        print(x)

    def act_for(x, args):
        if not (args.penalty == "log" or args.penalty == "cube"):
            return
        act(x)

    def act_with(x, penalty):
        if penalty == "log":
            act(x)

    def act_otherwise(x, penalty):
        if penalty == "square":
            print(x)
        elif penalty == "log":
            act(x)
"""


def heat(call: str, before: str = "pass", **others: str) -> HeatFact:
    """The heat of `act`, which a training step reaches by a call."""
    train = textwrap.dedent(TRAIN).replace("{before}", before).replace("{call}", call)
    files = {"options.py": textwrap.dedent(OPTIONS), "train.py": train}
    files |= {f"{name}.py": textwrap.dedent(code) for name, code in others.items()}
    return project(files).heat("train.py", "act")


@pytest.mark.parametrize(
    "call",
    [
        "if args.penalty == 'log': act(batch)",
        "if args.penalty in ('log', 'cube'): act(batch)",
        "if args.penalty not in ['square']: act(batch)",
        "if 'square' != args.penalty: act(batch)",
        "if args.penalty == 'log' or args.levels > 1: act(batch)",
        "if args.levels >= 2: act(batch)",
        "if args.draw_every is not None: act(batch)",
        "if args.two_sided: act(batch)",
        "if FLIP: act(batch)",
        "if args.model.kind == 'deep': act(batch)",
        "act_for(batch, args)",
        "act_with(batch, args.penalty)",
        "act_with(batch, penalty=args.penalty)",
        "act_otherwise(batch, args.penalty)",
    ],
)
def test_code_behind_another_value_than_the_default(call: str) -> None:
    fact = heat(call)
    assert fact.heat.in_step
    assert fact.optional
    assert fact.confidence < 0.7


@pytest.mark.parametrize(
    "call",
    [
        "if args.penalty == 'square': act(batch)",
        "if args.penalty != 'log': act(batch)",
        "if args.penalty == 'log' or args.levels == 1: act(batch)",
        "if args.penalty == 'log' or batch.is_long: act(batch)",
        "if args.levels < 2: act(batch)",
        "if not args.two_sided: act(batch)",
        "if not FLIP: act(batch)",
        "if args.late: act(batch)",  # a function sets it
        "if batch.penalty == 'log': act(batch)",
        "if args.unheard_of == 'log': act(batch)",
        "act_with(batch, 'log')",
        "act_with(batch, batch.penalty)",
        "act_with(batch, args.penalty); act_with(batch, 'log')",
    ],
)
def test_code_that_the_default_reaches(call: str) -> None:
    fact = heat(call)
    assert fact.heat.in_step
    assert not fact.optional
    assert fact.confidence > 0.7


def test_what_an_option_makes_is_there_only_if_it_is_on() -> None:
    made = "shadow = None\n    if args.smooth:\n        shadow = make(model)"
    assert heat("if shadow is not None: act(batch)", made).optional
    assert heat("if shadow is not None: act(batch)", "shadow = make(model) if args.smooth else None").optional
    assert not heat("if shadow is not None: act(batch)", made.replace("args.smooth", "not args.smooth")).optional
    assert not heat("if shadow is None: act(batch)", made).optional


def test_an_option_that_a_class_of_settings_is_made_with() -> None:
    call = "if args.model.kind == 'deep': act(batch)"
    made = "from options import ModelConfig\nimport train\n\nSMALL = ModelConfig(kind='{}')\n"
    assert not heat(call, presets=made.format("deep")).optional
    assert heat(call, presets=made.format("wide")).optional


DUE = """
    from pulse import due

    def train(model, loader, optimizer, args):
        for step, batch in enumerate(loader):
            loss = model(batch)
            loss.backward()
            optimizer.step()
            if {test}:
                act(batch)

    def act(x):
        print(x)
"""


@pytest.mark.parametrize(
    ("helper", "test", "expected"),
    [
        ("def due(step, gap): return step % gap == 0", "due(step, args.save_gap)", Heat.RARE),
        ("def due(step, gap): return step > 0 and step % gap == 0", "due(step, args.save_gap)", Heat.RARE),
        (
            "def due(step, gap):\n    if gap == 0:\n        return False\n    return not step % gap",
            "due(step, 100)",
            Heat.RARE,
        ),
        ("def due(step, gap): return step % gap == 0", "args.x and due(step, args.save_gap)", Heat.RARE),
        (
            "def due(step, gap): return asks(step, gap)\ndef asks(step, gap): return step % gap == 0",
            "due(step, 50)",
            Heat.RARE,
        ),
        ("def due(step, gap): return step % gap == 0", "not due(step, args.save_gap)", Heat.STEP),
        ("def due(step, gap): return step % gap == 0", "due(step, args.accumulation)", Heat.STEP),
        ("def due(step, gap): return step % gap == 0", "due(step, 2)", Heat.STEP),
        ("def due(step, gap): return step % gap == 0 or gap < 0", "due(step, args.save_gap)", Heat.STEP),
        (
            "def due(step, gap):\n    if step % gap == 0:\n        return False\n    return True",
            "due(step, 9)",
            Heat.STEP,
        ),
    ],
)
def test_helpers_that_answer_every_n_steps(helper: str, test: str, expected: Heat) -> None:
    files = {"pulse.py": helper + "\n", "train.py": textwrap.dedent(DUE).replace("{test}", test)}
    assert project(files).heat("train.py", "act").heat is expected


def test_a_helper_of_the_same_file_and_what_a_call_passes_to_it() -> None:
    helper = "def due(step, on=False): return on and step >= 0\n"
    for given, expected in (("", Heat.RARE), (", True", Heat.STEP), (", on=args.on", Heat.STEP)):
        code = textwrap.dedent(DUE).replace("{test}", f"due(step{given})").replace("from pulse import due\n", helper)
        assert project({"train.py": code}).heat("train.py", "act").heat is expected, given


LAYER = """
    import torch

    class Layer(torch.nn.Module):
        def __init__(self, fused=False):
            super().__init__()
            self.fused = fused
            self.saves = False

        def save_memory(self, on=True):
            self.saves = on

        def forward(self, x):
            if {test}:
                self.act(x)
            return x

        def act(self, x):
            print(x)
"""
NET = """
    import torch
    from layer import Layer

    class Net(torch.nn.Module):
        def __init__(self, fused=False):
            super().__init__()
            self.layer = Layer({fused})

        def save_memory(self, on=True):
            self.layer.save_memory(on)

        def forward(self, x):
            return self.layer(x)

    def train(loader, optimizer, args):
        model = Net()
        {before}
        for batch in loader:
            model(batch).sum().backward()
            optimizer.step()
"""


def layer_heat(test: str, fused: str = "fused", before: str = "pass") -> HeatFact:
    """The heat of a method that a layer's forward calls where a test holds."""
    layer = textwrap.dedent(LAYER).replace("{test}", test)
    net = textwrap.dedent(NET).replace("{fused}", fused).replace("{before}", before)
    return project({"layer.py": layer, "net.py": net}).heat("layer.py", "Layer.act")


def test_a_default_that_constructors_hand_on() -> None:
    assert layer_heat("self.fused").heat is Heat.RARE
    assert layer_heat("not self.fused").heat is Heat.STEP
    assert layer_heat("self.fused", "True").heat is Heat.STEP
    assert layer_heat("self.fused", "fused or torch.cuda.is_available()").heat is Heat.STEP


def test_a_switch_that_nobody_throws() -> None:
    assert layer_heat("self.saves").optional
    assert not layer_heat("not self.saves").optional
    assert not layer_heat("self.saves", before="model.save_memory()").optional
    assert not layer_heat("self.saves", before="model.layer.saves = args.saves").optional


EXITS = """
    from draw import draw

    def train(model, loader, optimizer, args):
        for step, batch in enumerate(loader):
            model(batch).sum().backward()
            optimizer.step()
            draw(batch, step, args)
"""
DRAW = """
    def draw(x, step, args):
        if step == 0:
            if not args.at_first:
                return
        else:
            {body}
        act(x)

    def act(x):
        print(x)
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if step % args.gap != 0: return", Heat.RARE),
        ("if args.gap is None or step % args.gap: return", Heat.RARE),
        ("if args.gap is None: return\n        if step % args.gap != 0: return", Heat.RARE),
        ("if args.wide:\n            if step % 50 != 0: return\n        elif step % 80 != 0: return", Heat.RARE),
        ("if args.wide:\n            if step % 50 != 0: return", Heat.STEP),
        ("if step % 50 != 0: print(x)", Heat.STEP),
    ],
)
def test_early_exits_inside_branches(body: str, expected: Heat) -> None:
    files = {"draw.py": textwrap.dedent(DRAW).replace("{body}", body), "train.py": textwrap.dedent(EXITS)}
    assert project(files).heat("draw.py", "act").heat is expected


STATE = """
    import torch

    class Scaled(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = 0.0

        def forward(self, x):
            if {test}:
                self.measure(x)
            {after}
            return x * self.scale

        def measure(self, x):
            {ending}
            self.act(x)

        def act(self, x):
            print(x)

    for batch in train_loader:
        Scaled()(batch).sum().backward()
"""


@pytest.mark.parametrize(
    ("test", "ending", "after", "expected"),
    [
        ("self.scale == 0", "self.scale = x.std()", "pass", Heat.RARE),
        ("self.scale.item() == 0.0", "self.scale = x.std()", "pass", Heat.RARE),
        ("not self.scale", "self.scale = x.std()", "pass", Heat.RARE),
        ("self.scale == 0", "if x.any(): self.scale = x.std()", "pass", Heat.STEP),
        ("self.scale == 0", "self.scale = x.std()", "self.scale = 0", Heat.STEP),
        ("self.scale == 0", "self.scale = x.std()", "self.scale -= 1", Heat.STEP),
        ("self.scale != 0", "self.scale = x.std()", "pass", Heat.STEP),
    ],
)
def test_a_state_that_a_called_method_ends(test: str, ending: str, after: str, expected: Heat) -> None:
    code = textwrap.dedent(STATE).replace("{test}", test).replace("{ending}", ending).replace("{after}", after)
    assert project({"scaled.py": code}).heat("scaled.py", "Scaled.act").heat is expected
