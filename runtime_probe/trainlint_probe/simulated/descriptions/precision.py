"""What autocast would compute in 16 bits on a GPU: the simulation computes in float32, and counts bytes as there."""

from __future__ import annotations

from typing import Any

import torch

from trainlint_probe.simulated.places import Places, tensors

_LOWERED = frozenset(
    "mm addmm bmm baddbmm addbmm mv addmv convolution _convolution linear einsum matmul prelu _thnn_fused_lstm_cell "
    "_thnn_fused_gru_cell _scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_attention_math".split()
)
"""Operators that autocast for CUDA runs in 16 bits (torch/amp's documentation, "CUDA Ops that can autocast to
float16")."""
_RAISED = frozenset(
    "_softmax _log_softmax native_layer_norm nll_loss_forward nll_loss2d_forward mse_loss binary_cross_entropy "
    "binary_cross_entropy_with_logits smooth_l1_loss huber_loss l1_loss exp expm1 log log10 log1p log2 pow rsqrt "
    "reciprocal sum prod norm linalg_vector_norm cumsum cumprod softplus cosh sinh tan erfinv renorm cdist".split()
)
"""Operators that it runs in float32."""


def is_lowered(operator: str) -> bool:
    """Whether autocast runs an operator in 16 bits."""
    return operator in _LOWERED


def is_halved(operator: str, args: Any, out: Any, places: Places) -> bool:
    """Whether the result of an operator takes half the bytes on the device: autocast runs it in 16 bits, or it is made
    of such results.
    """
    if out is not None and out.dtype is not torch.float32:
        return False
    if operator in _LOWERED and torch.is_autocast_enabled("cuda"):
        return True
    if not places.any_halved or operator in _RAISED or operator == "_to_copy":
        return False
    floats = [tensor for tensor in tensors(args) if tensor.dtype is torch.float32 and tensor.dim()]
    return bool(floats) and all(places.is_halved(tensor) for tensor in floats)
