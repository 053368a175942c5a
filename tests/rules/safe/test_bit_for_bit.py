"""Each SAFE fix keeps a toy training: every parameter is the same to the bit, and the host's generator stands alike.

A rule with a SAFE fix and no toy fails here.
"""

from __future__ import annotations

import contextlib
import io
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.rules.catalogue import all_rules
from tests.rules.safe.offered import fixed
from tests.rules.safe.toys import PROCESSES, TOYS
from trainlint.finding import Safety

torch = pytest.importorskip("torch")

SAFE = sorted(rule.code for rule in all_rules() if rule.fix_safety is Safety.SAFE and not rule.of_run)
CASES = [(code, number) for code, toys in TOYS.items() for number in range(len(toys))]


def test_each_rule_with_a_safe_fix_has_a_toy() -> None:
    assert {*SAFE} <= {*TOYS, *PROCESSES}


def run(text: str) -> tuple[dict[str, Any], Any]:
    """The parameters that a toy ends with, and what the host's generator would draw next."""
    names: dict[str, Any] = {}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        exec(compile(text, "toy.py", "exec"), names)
        if "main" in names:
            model = names["main"](lambda *losses: None, lambda *tensors: None)
        else:
            function = names["train"]
            model = function("cpu") if function.__code__.co_argcount else function()
    parameters = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    return parameters, torch.rand(4)


def assert_same_bits(before: tuple[dict[str, Any], Any], after: tuple[dict[str, Any], Any]) -> None:
    assert before[0].keys() == after[0].keys()
    assert [name for name in before[0] if not torch.equal(before[0][name], after[0][name])] == []
    assert torch.equal(before[1], after[1])


@pytest.fixture
def torchvision(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in whose builders take the old and the new argument, as torchvision's do."""

    def resnet18(*, pretrained: bool = False, weights: str | None = None) -> Any:
        layer = torch.nn.Linear(4, 2)
        if pretrained or weights == "IMAGENET1K_V1":
            torch.nn.init.ones_(layer.weight)
        return layer

    package, models = types.ModuleType("torchvision"), types.ModuleType("torchvision.models")
    vars(models)["resnet18"] = resnet18
    vars(package)["models"] = models
    monkeypatch.setitem(sys.modules, "torchvision", package)
    monkeypatch.setitem(sys.modules, "torchvision.models", models)


@pytest.mark.usefixtures("torchvision")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("code", "number"), CASES, ids=[f"{code}-{number}" for code, number in CASES])
def test_training_keeps_its_bits(code: str, number: int) -> None:
    toy = TOYS[code][number]
    after = fixed(toy.text, code, also=("TRN201",) if code == "TRN002" else ())
    assert after != toy.text, "the rule offers no SAFE fix for its toy"
    assert_same_bits(run(toy.text), run(after))


def train_on_rank(rank: int, meeting: str, pairs: dict[str, tuple[str, str]]) -> None:
    """What each of two processes does: every toy before and after its fix."""
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
    try:
        for before, after in pairs.values():
            assert_same_bits(run(before), run(after))
    finally:
        dist.destroy_process_group()


def fixed_pairs() -> dict[str, tuple[str, str]]:
    return {code: (toy.text, fixed(toy.text, code, Safety.UNSAFE)) for code, toy in PROCESSES.items()}


@pytest.mark.parametrize("code", PROCESSES)
def test_the_rule_fixes_its_toy_for_processes(code: str) -> None:
    before, after = fixed_pairs()[code]
    assert after != before


@pytest.mark.slow
def test_two_processes_keep_their_bits(tmp_path: Path) -> None:
    torch.multiprocessing.spawn(train_on_rank, (str(tmp_path / "meeting"), fixed_pairs()), nprocs=2)


def test_a_toy_that_is_trained_otherwise_is_told() -> None:
    text: str = TOYS["TRN818"][0].text
    with pytest.raises(AssertionError):
        assert_same_bits(run(text), run(text.replace("add_(0.1, ", "add_(0.1000001, ")))
