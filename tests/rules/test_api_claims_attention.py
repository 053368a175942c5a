"""What the rules on attention and losses say of PyTorch is true of the PyTorch that is installed."""

from __future__ import annotations

import inspect
import math
from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional


def test_fused_attention_is_the_one_written_out() -> None:
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 2, 4, 16, 8, dtype=torch.float64)
    causal = torch.ones(16, 16, dtype=torch.bool).tril()
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    torch.testing.assert_close(F.scaled_dot_product_attention(q, k, v), scores.softmax(-1) @ v)
    masked = scores.masked_fill(~causal, -math.inf).softmax(-1) @ v
    torch.testing.assert_close(F.scaled_dot_product_attention(q, k, v, is_causal=True), masked)
    torch.testing.assert_close(F.scaled_dot_product_attention(q, k, v, attn_mask=causal), masked)
    bare = (q @ k.transpose(-2, -1)).softmax(-1) @ v
    torch.testing.assert_close(F.scaled_dot_product_attention(q, k, v, scale=1.0), bare)


def test_fused_attention_drops_out_in_any_mode() -> None:
    ones = torch.ones(1, 1, 64, 8)
    assert not torch.equal(F.scaled_dot_product_attention(ones, ones, ones, dropout_p=0.5), ones)


def test_attention_weights_are_computed_unless_told_otherwise() -> None:
    module = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    x = torch.randn(2, 5, 8)
    parameters = list(inspect.signature(module.forward).parameters)
    assert parameters.index("need_weights") == 4
    attended, weights = module(x, x, x)
    lean, none = module(x, x, x, need_weights=False)
    assert weights.shape == (2, 5, 5)
    assert none is None
    torch.testing.assert_close(attended, lean)
    assert operations(module, x, need_weights=True).isdisjoint({"scaled_dot_product_attention"})
    assert "scaled_dot_product_attention" in operations(module, x, need_weights=False)


def operations(module: Any, x: Any, **options: Any) -> set[str]:
    """The operators, by their short names, that a call runs in training."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        module.train()(x, x, x, **options)
    return {event.name.removeprefix("aten::") for event in profile.events()}


def test_cross_entropy_of_probabilities_stays_far_from_zero() -> None:
    sure = torch.eye(10)[:1]
    loss = F.cross_entropy(sure, torch.tensor([0]))
    assert loss.item() == pytest.approx(math.log(1 + 9 / math.e), abs=1e-5)
    scores = torch.log_softmax(torch.randn(3, 5), dim=1)
    torch.testing.assert_close(torch.log_softmax(scores, dim=1), scores)
