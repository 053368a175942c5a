"""Names and modules of PyTorch that came with a later release: code that imports or calls one runs on no older one."""

from __future__ import annotations

from trainlint.analysis.tables.collectives import ALL_GATHER_INTO_TENSOR
from trainlint.analysis.tables.precision import AUTOCAST, GRAD_SCALER
from trainlint.analysis.tables.versions.torch_releases import Version

SINCE: dict[str, Version] = {
    "torch.linalg": (1, 7),
    "torch.nn.utils.parametrize": (1, 9),
    "torch.inference_mode": (1, 9),
    "torch.nn.functional.mish": (1, 9),
    "torch.distributed.elastic": (1, 9),
    "torch.amp": (1, 10),
    f"torch.{AUTOCAST.name}": (1, 10),
    "torch.ao": (1, 10),
    "torch.nn.utils.parametrizations": (1, 10),
    "torch.distributed.fsdp": (1, 11),
    "functorch": (1, 11),
    "torch.set_float32_matmul_precision": (1, 12),
    "torch.backends.mps": (1, 12),
    "torch.nn.utils.stateless": (1, 12),
    "torch.distributed.checkpoint": (1, 13),
    f"torch.distributed.{ALL_GATHER_INTO_TENSOR.name}": (1, 13),
    "torch.compile": (2, 0),
    "torch._dynamo": (2, 0),
    "torch._inductor": (2, 0),
    "torch.func": (2, 0),
    "torch.set_default_device": (2, 0),
    "torch.nn.functional.scaled_dot_product_attention": (2, 0),
    "torch.distributed.tensor.parallel": (2, 0),
    "torch.export": (2, 1),
    "torch.distributed.device_mesh": (2, 2),
    "torch.nn.attention": (2, 3),
    f"torch.amp.{GRAD_SCALER.name}": (2, 3),
    "torch.library.custom_op": (2, 4),
    "torch.amp.custom_fwd": (2, 4),
    "torch.amp.custom_bwd": (2, 4),
    "torch.nn.RMSNorm": (2, 4),
    "torch.nn.functional.rms_norm": (2, 4),
    "torch.distributed.tensor": (2, 5),
    "torch.nn.attention.flex_attention": (2, 5),
    "torch.accelerator": (2, 6),
}
"""By dotted name, the first minor version that has it."""
GONE: dict[str, Version] = {"torch._six": (2, 0)}
"""Modules that cannot be imported any more, by the first minor version that lacks them."""


def introduced_in(origin: str) -> Version | None:
    """The first PyTorch that has a dotted name; None where no row tells."""
    return _longest(SINCE, origin)


def gone_since(origin: str) -> Version | None:
    """The first PyTorch in which a dotted name cannot be imported; None for all others."""
    return _longest(GONE, origin)


def _longest(rows: dict[str, Version], origin: str) -> Version | None:
    """The row of a name, or of the nearest module that holds it."""
    while origin:
        if origin in rows:
            return rows[origin]
        origin = origin.rpartition(".")[0]
    return None
