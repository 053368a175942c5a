"""A SAFE fix is about objects of PyTorch's, and a file that does not import torch never gains that import."""

from __future__ import annotations

import pytest

from tests.rules.safe.offered import fixes, safe

EVALUATION = """

def evaluate(model, val_loader):
    model.eval()
    correct = 0
    for inputs, labels in val_loader:
        outputs = model(inputs)
        correct += (outputs.argmax(1) == labels).sum()
    return correct
"""
LOADER = """

def train(model, optimizer, dataset, criterion):
    loader = DataLoader(dataset, batch_size=64, num_workers=8)
    for images, labels in loader:
        images = {move}
        optimizer.zero_grad()
        criterion(model(images), labels).backward()
        optimizer.step()
"""
STEP = """

def train(model, optimizer, loader):
    for images, labels in loader:
        images = images.float().cuda()
        optimizer.zero_grad()
        model(images, labels).backward()
        optimizer.step()
"""

PINNED_STEP = """
from torch.utils.data import DataLoader, TensorDataset


def train(model, optimizer, pictures, classes):
    loader = DataLoader(TensorDataset(pictures, classes), 8, num_workers=2, pin_memory=True)
    for images, labels in loader:
        images = images.cuda()
        optimizer.zero_grad()
        model(images, labels).backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    "imports",
    [
        "import mxnet as mx\nfrom mxnet import gluon",
        "import numpy as np\nimport onnxruntime",
        "from helpers import build_model",
        "import paddle\nfrom models import torch_like",
    ],
)
def test_an_evaluation_without_torch_gains_no_torch(imports: str) -> None:
    assert "import torch" not in "".join(
        edit.text
        for items in fixes(imports + "\n" + EVALUATION).values()
        for item in items
        if item.fix
        for edit in item.fix.edits
    )


@pytest.mark.parametrize(
    ("imports", "move"),
    [
        ("import jax\nfrom torch.utils.data import DataLoader", 'jax.device_put(images, jax.devices("cuda")[0])'),
        ("import flax\nimport torch\nfrom torch.utils.data import DataLoader", "prepare_for_gpu(images)"),
        ("import tensorflow as tf\nfrom torch.utils.data import DataLoader", "tf.constant(images)  # to cuda"),
    ],
)
def test_a_loader_for_another_framework_is_left_alone(imports: str, move: str) -> None:
    assert "TRN102" not in fixes(imports + "\n" + LOADER.format(move=move), "TRN102")


def test_the_same_loader_for_torch_is_pinned_safely() -> None:
    code = "import torch\nfrom torch.utils.data import DataLoader\n" + LOADER.format(move="images.cuda()")
    assert safe(code, "TRN102") == {"TRN102"}


def test_a_method_that_another_framework_has_too_is_not_rewritten_safely() -> None:
    assert safe("import torch\n" + PINNED_STEP, "TRN205") == {"TRN205"}
    for other in ("paddle", "oneflow", "mindspore"):
        assert not safe(f"import {other}\nimport torch\n" + PINNED_STEP, "TRN205")
