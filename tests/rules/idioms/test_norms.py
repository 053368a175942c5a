"""Which formulas are norms and activations of torch?"""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model
from trainlint_rules.attention.idioms.norms import written_gelu, written_norm

NORMS = {
    "x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)": "rms_norm",
    "x * torch.rsqrt(torch.mean(x * x, dim=-1, keepdim=True) + 1e-6)": "rms_norm",
    "(x - m) * ((x - m).square().mean(-1, True) + 1e-6).rsqrt()": "layer_norm",
    "(x - m) * (x.var(-1, keepdim=True, correction=0) + 1e-6).rsqrt()": "layer_norm",
    "x * torch.rsqrt(x.pow(2).mean(1, keepdim=True) + 1e-6)": None,
    "x * torch.rsqrt(x.pow(2).mean(-1) + 1e-6)": None,
    "x * torch.rsqrt(x.pow(4).mean(-1, keepdim=True) + 1e-6)": None,
    "y * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)": None,
    "x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True))": None,
    "(x - m) * (x.var(-1, keepdim=True) + 1e-6).rsqrt()": None,
}
GELUS = {
    "0.5 * x * (1 + torch.erf(x / math.sqrt(2)))": "none",
    "x * 0.5 * (torch.erf(x * 0.7071067811865476) + 1.0)": "none",
    "0.5 * x * (1 + torch.tanh(0.797884 * (x + 0.044715 * x ** 3)))": "tanh",
    "0.5 * (1 + torch.erf(x / math.sqrt(2)))": None,
    "0.5 * y * (1 + torch.erf(x / math.sqrt(2)))": None,
    "0.5 * x * (1 + torch.erf(x / 1.4))": None,
    "0.5 * x * (1 + torch.tanh(x))": None,
    "x * (1 + torch.erf(x / math.sqrt(2)))": None,
}


@pytest.mark.parametrize(("formula", "due"), NORMS.items())
def test_norms(formula: str, due: str | None) -> None:
    outline = file_model(f"import torch\ndef f(x, y, m):\n    return {formula}\n").outline
    assert written_norm(outline.calls["rsqrt"][0]) == due


@pytest.mark.parametrize(("formula", "due"), GELUS.items())
def test_gelus(formula: str, due: str | None) -> None:
    outline = file_model(f"import math, torch\ndef f(x, y):\n    return {formula}\n").outline
    assert written_gelu(outline.calls["erf" if "erf" in formula else "tanh"][0]) == due
