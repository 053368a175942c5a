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
