"""The UNSAFE fixes of reads and waits: training keeps its bits, and the printed sum stays within rounding."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import pytest

from tests.rules.catalogue import judged_source
from trainlint.finding import Safety
from trainlint.fixing import fix_to_fixpoint
from trainlint.rule import Rule
from trainlint.source import source_from_text
from trainlint_rules.sync.item_in_training_step import ItemInTrainingStep
from trainlint_rules.sync.synchronize_in_training_step import SynchronizeInTrainingStep

torch = pytest.importorskip("torch")


def run(code: str, device: str = "cpu") -> tuple[list[Any], list[float]]:
    """Train a toy with a page's `train` function: its final parameters, and the numbers it printed."""
    torch.manual_seed(7)
    model = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.Tanh(), torch.nn.Linear(12, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    batches = [(torch.randn(4, 6), torch.randint(3, (4,))) for _ in range(25)]
    space: dict[str, Any] = {}
    exec(compile(code, "page", "exec"), space)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        space["train"](model, torch.nn.CrossEntropyLoss(), optimizer, batches, torch.device(device))
    numbers = [float(word) for word in printed.getvalue().split()]
    return [parameter.detach() for parameter in model.parameters()], numbers


def fixed(code: str, rule: Rule) -> str:
    source = source_from_text("train.py", code)
    result = fix_to_fixpoint(source, lambda text: judged_source(text, [rule]).findings, Safety.UNSAFE)
    assert result.applied
    assert not result.remaining
    return result.source.text


def test_a_sum_kept_on_the_device_prints_the_same_but_for_rounding() -> None:
    before = ItemInTrainingStep.manual.example
    after = fixed(before, ItemInTrainingStep())
    (parameters, printed), (new_parameters, new_printed) = run(before), run(after)
    assert all(torch.equal(old, new) for old, new in zip(parameters, new_parameters, strict=True))
    assert new_printed == pytest.approx(printed, rel=1e-5)
    assert printed


def test_the_sum_is_read_wherever_it_was_read() -> None:
    code = ItemInTrainingStep.manual.example.replace(
        "    print(running_loss / len(train_loader))\n",
        "    if running_loss > 1e9:\n        return\n    print(running_loss / len(train_loader), running_loss)\n",
    )
    after = fixed(code, ItemInTrainingStep())
    assert "running_loss += loss.detach()" in after
    assert after.count("float(running_loss)") == 3
    assert run(after)[1] == pytest.approx(run(code)[1], rel=1e-5)


@pytest.mark.parametrize(
    "reader",
    [
        "        bar.set_postfix(loss=running_loss)\n",  # read in the step: the wait would only move
        "        running_loss = running_loss * 0.9\n",  # not a plain sum
    ],
)
def test_a_sum_that_is_used_in_the_step_is_left_to_people(reader: str) -> None:
    code = ItemInTrainingStep.manual.example.replace(
        "        running_loss += loss.item()\n", "        running_loss += loss.item()\n" + reader
    )
    findings = judged_source(source_from_text("train.py", code), [ItemInTrainingStep()]).findings
    assert [finding.fix for finding in findings] == [None]


def test_training_without_the_wait_keeps_its_bits() -> None:
    before = SynchronizeInTrainingStep.manual.example
    after = fixed(before, SynchronizeInTrainingStep())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.cuda, "synchronize", lambda *_: None)  # there may be no device to wait for
        parameters, new_parameters = run(before)[0], run(after)[0]
    assert "synchronize" not in after
    assert all(torch.equal(old, new) for old, new in zip(parameters, new_parameters, strict=True))
