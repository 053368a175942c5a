"""What the rules about computing say of PyTorch holds in the PyTorch that is installed."""

from __future__ import annotations

import inspect

import pytest

torch = pytest.importorskip("torch")


def test_autocast_takes_a_device_and_a_data_type() -> None:
    """TRN401."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        product = torch.ones(2, 2) @ torch.ones(2, 2)
    assert product.dtype is torch.bfloat16
    assert {"device_type", "dtype", "enabled"} <= set(inspect.signature(torch.autocast).parameters)


def test_products_keep_full_precision_by_default_and_convolutions_do_not() -> None:
    """TRN406."""
    assert torch.get_float32_matmul_precision() == "highest"
    assert torch.backends.cudnn.allow_tf32
    assert not torch.backends.cuda.matmul.allow_tf32
    torch.set_float32_matmul_precision("high")
    assert torch.get_float32_matmul_precision() == "high"
    torch.set_float32_matmul_precision("highest")


def test_modules_and_images_take_a_memory_format() -> None:
    """TRN408."""
    convolution = torch.nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)
    images = torch.ones(2, 3, 8, 8).to(memory_format=torch.channels_last)
    assert convolution(images).is_contiguous(memory_format=torch.channels_last)


def test_a_tensor_made_of_a_tensor_warns_and_is_cut_from_the_graph() -> None:
    """TRN416: the copy by methods is the same, in values, data type, device and layout."""
    given = torch.arange(6.0, requires_grad=True).reshape(2, 3).T
    with pytest.warns(UserWarning, match="copy construct"):
        copy = torch.tensor(given)
    same = given.detach().clone()
    assert not copy.requires_grad
    assert torch.equal(copy, same)
    assert (copy.dtype, copy.device, copy.stride()) == (same.dtype, same.device, same.stride())
