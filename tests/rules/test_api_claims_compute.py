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


def test_determinism_is_off_by_default_and_switched_by_a_call() -> None:
    """TRN407."""
    assert not torch.are_deterministic_algorithms_enabled()
    assert torch.backends.cudnn.deterministic is False
    assert {"mode", "warn_only"} == set(inspect.signature(torch.use_deterministic_algorithms).parameters)


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


@pytest.mark.parametrize(
    ("layer", "place"), [("Linear", 2), *((f"Conv{kind}{n}d", 7) for kind in ("", "Transpose") for n in (1, 2, 3))]
)
def test_layers_have_a_bias_by_default_at_a_known_place(layer: str, place: int) -> None:
    """TRN410."""
    parameters = list(inspect.signature(getattr(torch.nn, layer)).parameters.values())
    assert parameters[place].name == "bias"
    assert parameters[place].default is True


def test_batch_normalization_takes_a_bias_away() -> None:
    """TRN410: its gradient is nothing but rounding."""
    torch.manual_seed(0)
    layers = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4)).double()
    layers(torch.randn(8, 3, 6, 6).double()).relu().square().sum().backward()
    assert layers[0].bias.grad.abs().max() < 1e-9 * layers[0].weight.grad.abs().max()
