"""The order of arguments is changed as a SAFE fix only where the method surely is that of a tensor."""

from __future__ import annotations

import pytest

from tests.rules.safe.offered import fixes, safe

CODE = "import torch\n\n\ndef shift({parameters}):\n    {call}\n"


@pytest.mark.parametrize(
    ("parameters", "call", "is_safe"),
    [
        ("x: torch.Tensor, y", "x.add_(2, y)", True),
        ("x: torch.Tensor, y", "x.grad.mul_(3).addcmul_(2, y, y)", True),
        ("x, y", "torch.add(x, 2, y)", True),
        ("x, y", "x.add_(2, y)", False),
        ("ledger, y", "ledger.sums.addcdiv_(2, y, y)", False),
    ],
)
def test_only_on_tensors(parameters: str, call: str, is_safe: bool) -> None:
    code = CODE.format(parameters=parameters, call=call)
    assert set(fixes(code, "TRN818")) == {"TRN818"}
    assert safe(code, "TRN818") == ({"TRN818"} if is_safe else set())


@pytest.mark.parametrize(
    ("call", "is_safe"),
    [
        ("x.add_(rate(), y)", True),
        ("x.add_(rate(), y.grad)", False),
        ("x.add_(scale.item(), y.grad)", True),
        ("x.add_((k := 3), y)", False),
        ("x.add_(2, (y := x))", False),
        ("x.add_(scale, y.update())", False),
        ("x.add_(scale, y.sqrt())", True),
        ("x.add_(2, y.update())", True),
    ],
)
def test_the_order_of_effects_is_kept(call: str, is_safe: bool) -> None:
    code = CODE.format(parameters="x: torch.Tensor, y, rate, scale", call=call)
    assert safe(code, "TRN818") == ({"TRN818"} if is_safe else set())
