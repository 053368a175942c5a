"""GPUs by the names that people use: their memory, and how fast they send to each other.

Figures are those of the makers' data sheets and white papers, without sparsity, with sums in float32 and at reference
clocks; a card of 80 GB has 80 x 2^30 bytes, of which driver and error correction keep about one. PyTorch sees each of
the two dies of an MI250X as a device.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trainlint.planning.training import Precision

_GIBIBYTE = 2**30
_KEPT_BY_DRIVER = 1.0
"""GiB."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """One model of GPU."""

    name: str
    """As the user may write it, in lower case with `-` between words."""
    device: str
    """As `torch.cuda.get_device_name()` says it, without the maker's name."""
    gibibytes: float
    link: float
    """GB a second to other GPUs of the node, in one direction: NVLink, or PCIe where there is none."""
    bandwidth: float
    """GB a second between its memory and its processors."""
    single: float
    """TFLOP/s of matrix products in float32, without TensorFloat-32."""
    half: float
    """TFLOP/s of those in bfloat16, or in float16 where there is none."""

    @property
    def memory(self) -> float:
        """Bytes that programs can use."""
        return (self.gibibytes - _KEPT_BY_DRIVER) * _GIBIBYTE

    def flops(self, precision: Precision) -> float:
        """Operations a second at most, for products in this precision."""
        return (self.single if precision is Precision.FP32 else self.half) * 1e12


_PCIE_3, _PCIE_4, _PCIE_5 = 16, 32, 64

GPUS = (
    Gpu("v100-16gb", "V100-SXM2-16GB", 16, 150, 900, 15.7, 125),
    Gpu("v100-32gb", "V100-SXM2-32GB", 32, 150, 900, 15.7, 125),
    Gpu("t4", "T4", 16, _PCIE_3, 320, 8.1, 65),
    Gpu("a100-40gb", "A100-SXM4-40GB", 40, 300, 1555, 19.5, 312),
    Gpu("a100-80gb", "A100-SXM4-80GB", 80, 300, 2039, 19.5, 312),
    Gpu("a100-pcie-80gb", "A100 80GB PCIe", 80, _PCIE_4, 1935, 19.5, 312),
    Gpu("a10", "A10", 24, _PCIE_4, 600, 31.2, 125),
    Gpu("a10g", "A10G", 24, _PCIE_4, 600, 35, 70),
    Gpu("a40", "A40", 48, _PCIE_4, 696, 37.4, 149.7),
    Gpu("l4", "L4", 24, _PCIE_4, 300, 30.3, 121),
    Gpu("l40s", "L40S", 48, _PCIE_4, 864, 91.6, 362.05),
    Gpu("h100", "H100 80GB HBM3", 80, 450, 3350, 67, 989.5),
    Gpu("h100-pcie", "H100 PCIe", 80, _PCIE_5, 2000, 51, 756.5),
    Gpu("h200", "H200", 141, 450, 4800, 67, 989.5),
    Gpu("b200", "B200", 180, 900, 8000, 75, 2250),
    Gpu("a6000", "RTX A6000", 48, _PCIE_4, 768, 38.7, 154.8),
    Gpu("rtx-2080-ti", "RTX 2080 Ti", 11, _PCIE_3, 616, 13.4, 53.8),
    Gpu("rtx-3080", "RTX 3080", 10, _PCIE_4, 760, 29.8, 59.5),
    Gpu("rtx-3090", "RTX 3090", 24, _PCIE_4, 936, 35.6, 71),
    Gpu("rtx-4090", "RTX 4090", 24, _PCIE_4, 1008, 82.6, 165.2),
    Gpu("rtx-5090", "RTX 5090", 32, _PCIE_5, 1792, 104.8, 209.5),
    Gpu("mi250x", "MI250X", 64, 50, 1638, 47.85, 191.5),
    Gpu("mi300x", "MI300X", 192, 448, 5300, 163.4, 1307.4),
)


def gpu_named(name: str) -> Gpu | None:
    """The GPU that a user means; None for one that is not listed."""
    wanted = re.sub(r"[\s_]+", "-", name.strip().lower()).removeprefix("nvidia-").removeprefix("amd-")
    return next((gpu for gpu in GPUS if wanted in (gpu.name, gpu.name.replace("-", ""))), None)
