"""Errors that a machine with a GPU would raise, in PyTorch's own words, so that handlers of the script see the same."""

from __future__ import annotations


def two_devices(device: int, operator: str, other: int | None = None) -> RuntimeError:
    """Tensors of one operator lie on several devices."""
    second = "cpu" if other is None else f"cuda:{other}"
    when = f" (when executing aten::{operator})" if operator else ""
    return RuntimeError(
        "Expected all tensors to be on the same device, but found at least two devices, "
        f"cuda:{device} and {second}!{when}"
    )


def wrong_generator() -> RuntimeError:
    """A generator of the host draws for a device."""
    return RuntimeError("Expected a 'cuda' device type for generator but found 'cpu'")


def no_numpy(device: int) -> TypeError:
    """NumPy reads no memory of a device."""
    return TypeError(
        f"can't convert cuda:{device} device type tensor to numpy. "
        "Use Tensor.cpu() to copy the tensor to host memory first."
    )


def no_such_device(index: int, devices: int) -> RuntimeError:
    """A device that is not there."""
    return RuntimeError(
        f"CUDA error: invalid device ordinal\ncuda:{index} was asked for, and the simulated machine has {devices}."
    )


def index_elsewhere() -> RuntimeError:
    """An index of a device selects from a tensor of the host."""
    return RuntimeError("indices should be either on cpu or on the same device as the indexed tensor (cpu)")


def lengths_on_device(dimensions: int, device: int) -> RuntimeError:
    """Sequences are packed by lengths of a device."""
    return RuntimeError(
        f"'lengths' argument should be a 1D CPU int64 tensor, but got {dimensions}D cuda:{device} Long tensor"
    )


def no_wait_in_capture(name: str) -> RuntimeError:
    """The host would wait while a graph is captured."""
    return RuntimeError(
        "CUDA error: operation not permitted when stream is capturing\n"
        f"{name} waits for the device, or copies memory that is not pinned. Do this before or after the capture."
    )


def not_captured(operator: str) -> NotImplementedError:
    """A graph of sparse or nested tensors."""
    return NotImplementedError(
        f"aten::{operator} has a sparse or nested tensor, which the simulated GPU does not capture in a CUDA graph. "
        "Leave out the graph, or run the script on a GPU."
    )


def needs_values(operator: str) -> NotImplementedError:
    """An operator that PyTorch cannot follow without values."""
    return NotImplementedError(
        f"aten::{operator} needs values, and with --no-values the simulated GPU has none. "
        "Leave out --no-values, or what asks for it."
    )


def no_cuda_kernel(operator: str) -> NotImplementedError:
    """An operator of PyTorch's quantized modules, which have code for CPUs alone."""
    return NotImplementedError(
        f"Could not run '{operator}' with arguments from the 'CUDA' backend. PyTorch's quantized modules run on CPUs "
        "alone: keep the model on the CPU, or quantize it by a library that has CUDA kernels, such as torchao."
    )


def no_cpu_kernel(operator: str) -> NotImplementedError:
    """An operator that has code for CUDA alone; its name is with its library, as in "aten::add"."""
    return NotImplementedError(
        f"{operator} has no code for a CPU, and a simulated GPU computes on the CPU. "
        "Switch off what asks for it, or run the script on a GPU."
    )
