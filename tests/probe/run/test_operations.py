"""Floating point operations of a step, and in which precision a device computes them.

Tensors of the meta device stand for an accelerator's: they are counted alike, and nothing is computed.
"""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from trainlint_probe.environment import tf32_allowed
from trainlint_probe.watch.afterwards.operations import Counter, Operations

PRODUCT = 2 * 8 * 16 * 4
"""Operations of a product of an 8 by 16 matrix with one of 16 by 4."""


def product(kind: torch.dtype, device: str = "meta") -> torch.Tensor:
    return torch.empty(8, 16, dtype=kind, device=device) @ torch.empty(16, 4, dtype=kind, device=device)


def counted(act: Any) -> Operations:
    counter = Counter()
    with counter.counting():
        act()
    return counter.counted()


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (torch.bfloat16, "bf16"),
        (torch.float16, "fp16"),
        (torch.float32, "fp32"),
        (torch.float64, "float64"),
    ],
)
def test_a_product_counts_in_the_precision_of_its_factors(kind: torch.dtype, name: str) -> None:
    assert counted(lambda: product(kind)) == Operations(PRODUCT, {name: PRODUCT})


def test_convolutions_have_a_switch_of_their_own_for_tf32() -> None:
    def convolve() -> None:
        nn.functional.conv2d(torch.empty(1, 3, 8, 8, device="meta"), torch.empty(5, 3, 3, 3, device="meta"))

    operations = 2 * 6 * 6 * 5 * 3 * 3 * 3
    with torch.backends.cudnn.flags(allow_tf32=True):
        assert counted(convolve) == Operations(operations, {"tf32": operations})
    with torch.backends.cudnn.flags(allow_tf32=False):
        assert counted(convolve) == Operations(operations, {"fp32": operations})


def test_what_the_processor_computes_is_no_work_of_the_device() -> None:
    def both() -> None:
        product(torch.float32, "cpu")
        product(torch.float16)

    assert counted(both) == Operations(2 * PRODUCT, {"fp16": PRODUCT})


def test_a_perceptron_and_its_backward_are_counted_exactly() -> None:
    """Each layer multiplies once forward and twice backward, but the first, whose input needs no gradient."""
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).to("meta", torch.bfloat16)
    batch = torch.empty(32, 64, dtype=torch.bfloat16, device="meta")
    expected = 2 * 32 * (3 * (64 * 128 + 128 * 10) - 64 * 128)
    assert counted(lambda: model(batch).sum().backward()) == Operations(expected, {"bf16": expected})


class Unreadable:
    """The switches of PyTorch 2.9, of which a script has set a new one."""

    fp32_precision = "tf32"

    @property
    def allow_tf32(self) -> bool:
        raise RuntimeError("mix of the legacy and new APIs")


@pytest.mark.parametrize(
    ("matmul", "allowed"),
    [
        (SimpleNamespace(allow_tf32=True), True),
        (SimpleNamespace(allow_tf32=False), False),
        (SimpleNamespace(allow_tf32=False, fp32_precision="none"), False),
        (Unreadable(), True),
    ],
)
def test_old_and_new_switches_are_read(matmul: object, allowed: bool) -> None:
    cudnn = SimpleNamespace(allow_tf32=False)
    fake = SimpleNamespace(backends=SimpleNamespace(cudnn=cudnn, cuda=SimpleNamespace(matmul=matmul)))
    assert tf32_allowed(fake, is_convolution=False) is allowed
    assert not tf32_allowed(fake, is_convolution=True)


@pytest.mark.skipif(not hasattr(torch.backends.cudnn, "conv"), reason="this PyTorch has the old switches alone")
def test_pytorchs_own_switches_are_read_after_a_script_has_set_new_ones() -> None:
    script = (
        "import torch; from trainlint_probe.environment import tf32_allowed; "
        "torch.backends.cuda.matmul.fp32_precision = 'tf32'; torch.backends.cudnn.conv.fp32_precision = 'ieee'; "
        "print([tf32_allowed(torch, is_convolution=each) for each in (False, True)])"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "[True, False]\n"
