"""Tensors made on the device, and casts behind the copy, are SAFE only where they surely are the same tensors."""

from __future__ import annotations

import pytest

from tests.rules.safe.offered import safe

STEP = """import torch
{top}

class Net(torch.nn.Module):
    def forward(self, x, device, values, like: torch.Tensor):
        made = {made}
        return self.layer(x) + made
"""
ALIKE = {
    "a device of a tensor": "torch.zeros(3).to(x.device)",
    "a device by its name": "torch.zeros(3).to('cuda')",
    "the present GPU": "torch.zeros(3).cuda()",
    "methods on the way": "torch.ones(2, 3).bool().transpose(0, 1).to(x.device)",
    "one more dimension": "torch.arange(x.size(1))[None, :].to(x.device)",
    "like a tensor": "torch.zeros(3).type_as(x)",
    "a wide type": "torch.arange(9, dtype=torch.float32).to(x.device)",
}
OTHER = {
    "expanded, and dense after the move": "torch.zeros(1, 3).expand(4, 3).to(x.device)",
    "cut, and dense after the move": "torch.zeros(4, 4)[:, :2].to(x.device)",
    "every second one": "torch.arange(9)[::2].to(x.device)",
    "cast before it is like a tensor": "torch.zeros(3).long().type_as(x)",
    "what may be a dtype or a tensor": "torch.zeros(3).to(device)",
    "a tensor, perhaps": "torch.zeros(3).to(x)",
    "an array that is filled": "torch.as_tensor(values).zero_().to(x.device)",
    "a type that rounds whole numbers": "torch.arange(9999, dtype=torch.float16).to(x.device)",
    "a type out of sight": "torch.arange(9999, dtype=x.dtype).to(x.device)",
    "another order of calls": "torch.zeros(2).view(x.tick()).to(x.tock().device)",
    "a leaf": "torch.zeros(3, requires_grad=True).to(x.device)",
    "a copy in any case": "torch.zeros(3).to(x.device, copy=True)",
    "a device or None": "torch.zeros(3).cuda(device)",
}


@pytest.mark.parametrize("made", ALIKE.values(), ids=ALIKE)
def test_the_same_tensor_is_made_on_the_device(made: str) -> None:
    assert safe(STEP.format(made=made, top=""), "TRN207") == {"TRN207"}


@pytest.mark.parametrize("made", OTHER.values(), ids=OTHER)
def test_what_may_be_another_tensor_is_no_safe_fix(made: str) -> None:
    assert not safe(STEP.format(made=made, top=""), "TRN207")


@pytest.mark.parametrize("top", ["torch.set_default_device(PLACE)", "torch.set_default_tensor_type(TYPE)"])
def test_what_a_factory_makes_may_be_decided_elsewhere(top: str) -> None:
    assert not safe(STEP.format(made="torch.zeros(3).to(x.device)", top=top), "TRN207")
