"""What the fix of TRN607 writes, and that it averages the same."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from tests.rules.catalogue import STATED, source
from trainlint.engine.judge import judge
from trainlint.finding import Finding, Safety
from trainlint.fixing import fix_to_fixpoint
from trainlint.source import SourceFile
from trainlint_rules.optimizer.update_per_parameter import UpdatePerParameter

torch = pytest.importorskip("torch")

UPDATES = {
    "mul and add": (
        "s.data.mul_(0.9).add_(p.data, alpha=0.1)",
        ("s_list = [s.data for s in slow.parameters()]", "torch._foreach_add_(s_list, p_list, alpha=0.1)"),
    ),
    "mul and add in no_grad": (
        "s.mul_(decay).add_(p, alpha=1 - decay)",
        ("p_list = list(model.parameters())", "torch._foreach_mul_(s_list, decay)"),
    ),
    "lerp": ("s.lerp_(p, 1.0 - decay)", ("torch._foreach_lerp_(s_list, p_list, 1.0 - decay)",)),
}
KEPT = {
    "another form": "s.data.copy_(0.9 * s.data + 0.1 * p.data)",
    "weights by parameter": "s.lerp_(p, 1 / p.numel())",
    "a comment": "# slowly\n        s.lerp_(p, 0.1)",
    "two statements": "s.mul_(0.9)\n        s.add_(p, alpha=0.1)",
    "another tensor": "s.lerp_(p.detach(), 0.1)",
}


def averaging(update: str) -> str:
    return textwrap.dedent(
        """
        import torch

        @torch.no_grad()
        def update_ema(slow, model, decay=0.95):
            for s, p in zip(slow.parameters(), model.parameters()):
                UPDATE
        """
    ).replace("UPDATE", update)


def fixed(text: str) -> str:
    def judged(text: SourceFile) -> tuple[Finding, ...]:
        return judge(text, [UpdatePerParameter()], STATED).findings

    assert judged(source(text)), text
    return fix_to_fixpoint(source(text), judged, Safety.UNSAFE).source.text


def averaged(text: str) -> list[Any]:
    names: dict[str, Any] = {}
    exec(compile(text, "ema.py", "exec"), names)
    torch.manual_seed(2)
    slow, model = (torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.Linear(7, 3)) for _ in range(2))
    for _ in range(3):
        names["update_ema"](slow, model)
    return [parameter.detach() for parameter in slow.parameters()]


@pytest.mark.parametrize(("update", "written"), UPDATES.values(), ids=UPDATES)
def test_the_rewritten_average_is_the_same(update: str, written: tuple[str, ...]) -> None:
    text = averaging(update)
    after = fixed(text)
    assert [piece for piece in written if piece not in after] == []
    for one, other in zip(averaged(text), averaged(after), strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("update", KEPT.values(), ids=KEPT)
def test_other_loops_are_left_to_a_person(update: str) -> None:
    text = averaging(update)
    assert fixed(text) == text
