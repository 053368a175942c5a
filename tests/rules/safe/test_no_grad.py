"""`torch.no_grad` is for a person to judge: what takes gradients inside of it may stand in code out of sight."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.safe.offered import fixed, fixes
from trainlint.cli import main
from trainlint.finding import Safety

MODELS = """
import torch
from torch import nn


def slope(energy, points):
    return torch.autograd.grad(energy, points)[0]


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def forward(self, points):
        return self.layer(points)

"""
FORCES = """
class Forces(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def forward(self, points):
        points.requires_grad_(True)
        return slope(self.layer(points).sum(), points)

"""
SWITCHED = """
class Forces(nn.Module):
    def forward(self, points):
        with torch.enable_grad():
            return (points * points).sum()

"""
INSIDE = """
class Part(nn.Module):
    def forward(self, points):
        return torch.func.grad(torch.sum)(points)


class Forces(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()

    def forward(self, points):
        return self.part(points)

"""
ADAPTED = """
class Forces(nn.Module):
    def forward(self, points):
        loss = self.inner(points).sum()
        loss.backward()
        return loss

"""
EVALUATE = """
def evaluate(model, val_loader):
    model.eval()
    total = 0.0
    for points, target in val_loader:
        total += (model(points) - target).abs().sum().item()
    return total

"""


@pytest.mark.parametrize("cls", [FORCES, SWITCHED, INSIDE, ADAPTED])
def test_a_model_that_takes_gradients_is_left_alone(cls: str) -> None:
    assert not fixes(MODELS + cls + EVALUATE + "\nevaluate(Forces().cuda(), load())\n", "TRN303")


HOOKED = "model = Plain().cuda()\nmodel.layer.register_forward_hook(lambda part, given, out: out.sum().backward())"


@pytest.mark.parametrize(
    "made",
    [
        "model = Plain().cuda()",
        HOOKED,
        "from fields import Forces\nmodel = nn.Sequential(Forces(), nn.Linear(3, 1)).cuda()",
        "import fields\nclass Net(fields.Base):\n    def forward(self, points):\n        return points\nmodel = Net()",
        "model = Plain().cuda()\nmodel.forward = slow",
        "model = getattr(nn, name)(3, 1)",
        "model = build()",
    ],
    ids=["in sight", "hook", "part of a library", "base of a library", "assigned forward", "chosen by name", "unknown"],
)
def test_the_fix_is_for_a_person_to_judge_whatever_the_model_is(made: str) -> None:
    (finding,) = fixes(f"{MODELS}{EVALUATE}\n{made}\nevaluate(model, load())\n", "TRN303")["TRN303"]
    assert finding.fix is not None
    assert finding.fix.safety is Safety.UNSAFE


def test_a_generator_gets_the_decorator_and_never_a_block() -> None:
    code = """
import torch
from torch import nn


def predictions(val_loader):
    model = nn.Linear(3, 3)
    model.eval()
    for inputs, names in val_loader:
        outputs = model(inputs)
        yield names, outputs.argmax(1).tolist()
"""
    after = fixed(code, "TRN303", Safety.UNSAFE)
    assert "@torch.no_grad()\ndef predictions" in after
    assert "with " not in after


def test_a_generator_that_trains_as_well_is_left_to_a_person() -> None:
    code = """
import torch
from torch import nn


def rounds(loader, val_loader, optimizer):
    model = nn.Linear(3, 3)
    for inputs, targets in loader:
        optimizer.zero_grad()
        (model(inputs) - targets).sum().backward()
        optimizer.step()
    model.eval()
    for inputs, names in val_loader:
        yield names, model(inputs).argmax(1).tolist()
"""
    assert not fixes(code, "TRN303")


@pytest.mark.parametrize(("name", "found"), [("Plain", True), ("Forces", False)])
def test_the_forward_of_another_file_counts(
    name: str, found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "parts.py").write_text(MODELS + INSIDE.partition("class Forces")[0])
    whole = "import torch\nfrom torch import nn\nfrom parts import Part, Plain\n\n\nclass Forces" + INSIDE.partition(
        "class Forces"
    )[2].rstrip() + "\n"  # fmt: skip
    (tmp_path / "models.py").write_text(whole)
    (tmp_path / "evaluation.py").write_text("import torch\n\n" + EVALUATE)
    (tmp_path / "run.py").write_text(
        f"import torch\nfrom models import Forces\nfrom parts import Plain\nfrom evaluation import evaluate\n\n"
        f"model = {name}()\nprint(evaluate(model, load()))\n"
    )
    monkeypatch.chdir(tmp_path)
    main(["check", ".", "--isolated", "--no-cache", "--select", "TRN303", "--min-confidence", "unlikely"])
    assert ("TRN303" in capsys.readouterr().out) is found


ASYNC = """
import torch
from torch import nn


async def evaluate(val_loader, notify):
    model = nn.Linear(3, 1)
    model.eval()
    total = 0.0
    {loop}:
        total += model(points).sum().item()
        {then}
    return total
"""


def test_other_tasks_run_with_autograd_on() -> None:
    plain = ASYNC.format(loop="for points, _ in val_loader", then="notify(total)")
    after = fixed(plain, "TRN303", Safety.UNSAFE)
    assert "    with torch.no_grad():\n        for points, _ in val_loader:\n" in after
    assert "@torch.no_grad" not in after
    for loop, then in [
        ("for points, _ in val_loader", "await notify(total)"),
        ("async for points, _ in val_loader", "notify(total)"),
    ]:
        assert fixes(ASYNC.format(loop=loop, then=then), "TRN303") == {}


def test_a_function_that_trains_as_well_is_not_decorated() -> None:
    code = MODELS + EVALUATE.replace("    return total", "    more(model)\n    return total")
    code += "\n\ndef more(model):\n    model(torch.ones(1, 3)).sum().backward()\n"
    assert "@torch.no_grad()\ndef evaluate" not in fixed(code, "TRN303", Safety.UNSAFE)
