"""`torch.no_grad` is SAFE only around models whose forward is in sight and takes no gradient itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.safe.offered import fixed, fixes, safe
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


@pytest.mark.parametrize("made", ["Plain()", "nn.Sequential(nn.Linear(3, 1), nn.ReLU())", "torch.compile(Plain())"])
def test_a_model_in_sight_that_takes_none_is_safe(made: str) -> None:
    code = MODELS + EVALUATE + f"\nmodel = {made}.to('cuda')\nevaluate(model, load())\n"
    assert "@torch.no_grad()\ndef evaluate" in fixed(code, "TRN303")


@pytest.mark.parametrize(
    "called",
    ["", "evaluate(build(), load())", "evaluate(Plain(), load())\nevaluate(choose(), load())"],
    ids=["nobody calls it", "unknown", "one of two is unknown"],
)
def test_a_model_out_of_sight_is_for_a_person_to_judge(called: str) -> None:
    (finding,) = fixes(MODELS + EVALUATE + f"\n{called}\n", "TRN303")["TRN303"]
    assert finding.fix is not None
    assert finding.fix.safety is Safety.UNSAFE


def test_a_part_that_takes_gradients_may_be_handed_to_a_model_in_sight() -> None:
    code = MODELS + FORCES + EVALUATE + "\nevaluate(Plain(), load())\n"
    assert not safe(code, "TRN303")
    assert fixes(code, "TRN303")


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
    after = fixed(code, "TRN303")
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


@pytest.mark.parametrize(("name", "safety"), [("Plain", "[*]"), ("Forces", None)])
def test_the_forward_of_another_file_counts(
    name: str, safety: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
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
    main(["check", ".", "--isolated", "--no-cache", "--select", "TRN303", "--min-confidence", "unlikely", "--fix"])
    assert ("@torch.no_grad()" in (tmp_path / "evaluation.py").read_text()) is (safety is not None), capsys.readouterr()


@pytest.mark.parametrize(
    "assigned",
    [
        "model.forward = shown(model.forward)",
        "model.forward = types.MethodType(slow, model)",
        "setattr(model, 'forward', slow)",
        "nn.Linear.forward = slow",
        "for part in model.modules():\n    part.forward = slow",
    ],
)
def test_a_forward_that_is_assigned_is_no_longer_known(assigned: str) -> None:
    code = MODELS + EVALUATE + "\nmodel = nn.Linear(3, 1).to('cuda')\n{}\nevaluate(model, load())\n"
    assert safe(code.format("model.name = 'linear'"), "TRN303") == {"TRN303"}
    assert not safe(code.format(assigned), "TRN303")


def test_a_forward_that_another_file_assigns_is_no_longer_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = MODELS + "import tools\n" + EVALUATE
    code += "\nmodel = nn.Linear(3, 1).to('cuda')\nevaluate(model, load())\n"
    (tmp_path / "train.py").write_text(code)
    arguments = ["check", ".", "--fix", "--isolated", "--no-cache", "-q", "-j1", "--exit-zero", "--select", "TRN303"]
    (tmp_path / "tools.py").write_text("def change(model, slow):\n    model.forward = slow\n")
    main(arguments)
    assert (tmp_path / "train.py").read_text() == code
    (tmp_path / "tools.py").write_text("def change(model, slow):\n    model.name = slow\n")
    main(arguments)
    assert "@torch.no_grad()" in (tmp_path / "train.py").read_text()


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


LOOP = """
def evaluate(model, val_loader, hook=None):
    model.eval()
    total = 0
    for points, _ in val_loader:
        output = model(points)
        total += output.sum().item()
        {each}
    {then}
    return total{given}
"""


@pytest.mark.parametrize(
    ("each", "then", "given", "is_safe"),
    [
        ("pass", "pass", "", True),
        ("print(output)", "pass", "", True),
        ("hook(output)", "pass", "", False),
        ("assert torch.is_grad_enabled()", "pass", "", False),
        ("total += output.requires_grad", "pass", "", False),
        ("pass", "extra = torch.zeros(3, requires_grad=True) * 2", ", extra", False),
        ("pass", "extra = model.weight * 2", ", extra", False),
    ],
)
def test_what_else_depends_on_graphs(each: str, then: str, given: str, is_safe: bool) -> None:
    code = (
        MODELS + LOOP.format(each=each, then=then, given=given) + "\nevaluate(nn.Linear(3, 1).cuda(), load(), print)\n"
    )
    assert safe(code, "TRN303") == ({"TRN303"} if is_safe else set())


def test_a_function_that_trains_as_well_is_not_decorated() -> None:
    code = MODELS + LOOP.format(each="pass", then="more(model)", given="")
    code += "\n\ndef more(model):\n    model(torch.ones(1, 3)).sum().backward()\n"
    assert "@torch.no_grad()\ndef evaluate" not in fixed(code, "TRN303", Safety.UNSAFE)
