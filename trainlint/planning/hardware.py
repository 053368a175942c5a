"""GPUs by the names that people use: their memory, and how fast they send to each other.

Memory, its bandwidth and links are those of the makers' data sheets; a card of 80 GB has 80 x 2^30 bytes, of which
driver and error correction keep about one. Peaks stand in `trainlint.devices`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from trainlint.devices import Precision as Format
from trainlint.devices import device_named
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

    @property
    def memory(self) -> float:
        """Bytes that programs can use."""
        return (self.gibibytes - _KEPT_BY_DRIVER) * _GIBIBYTE

    def flops(self, precision: Precision) -> float | None:
        """Operations a second at most, for products in this precision."""
        device = device_named(self.device)
        if device is None:
            return None
        for wanted in _PRODUCTS[precision]:
            if wanted in device.peaks:
                return device.peaks[wanted] * 1e12
        return None


_HALF = (Format.BF16, Format.FP16)
_PRODUCTS: Mapping[Precision, tuple[Format, ...]] = {
    Precision.FP32: (Format.FP32,),
    Precision.AUTOCAST: _HALF,
    Precision.MIXED: _HALF,
    Precision.BF16: _HALF,
}

_PCIE_3, _PCIE_4, _PCIE_5 = 16, 32, 64

GPUS = (
    Gpu("v100-16gb", "V100-SXM2-16GB", 16, 150, 900),
    Gpu("v100-32gb", "V100-SXM2-32GB", 32, 150, 900),
    Gpu("t4", "T4", 16, _PCIE_3, 320),
    Gpu("a100-40gb", "A100-SXM4-40GB", 40, 300, 1555),
    Gpu("a100-80gb", "A100-SXM4-80GB", 80, 300, 2039),
    Gpu("a100-pcie-80gb", "A100 80GB PCIe", 80, _PCIE_4, 1935),
    Gpu("a10", "A10", 24, _PCIE_4, 600),
    Gpu("a10g", "A10G", 24, _PCIE_4, 600),
    Gpu("a40", "A40", 48, _PCIE_4, 696),
    Gpu("l4", "L4", 24, _PCIE_4, 300),
    Gpu("l40s", "L40S", 48, _PCIE_4, 864),
    Gpu("h100", "H100 80GB HBM3", 80, 450, 3350),
    Gpu("h100-pcie", "H100 PCIe", 80, _PCIE_5, 2000),
    Gpu("h200", "H200", 141, 450, 4800),
    Gpu("b200", "B200", 180, 900, 8000),
    Gpu("a6000", "RTX A6000", 48, _PCIE_4, 768),
    Gpu("rtx-2080-ti", "RTX 2080 Ti", 11, _PCIE_3, 616),
    Gpu("rtx-3080", "RTX 3080", 10, _PCIE_4, 760),
    Gpu("rtx-3090", "RTX 3090", 24, _PCIE_4, 936),
    Gpu("rtx-4090", "RTX 4090", 24, _PCIE_4, 1008),
    Gpu("rtx-5090", "RTX 5090", 32, _PCIE_5, 1792),
    Gpu("mi250x", "MI250X", 64, 50, 1638),
    Gpu("mi300x", "MI300X", 192, 448, 5300),
)


def gpu_named(name: str) -> Gpu | None:
    """The GPU that a user means; None for one that is not listed."""
    wanted = re.sub(r"[\s_]+", "-", name.strip().lower()).removeprefix("nvidia-").removeprefix("amd-")
    return next((gpu for gpu in GPUS if wanted in (gpu.name, gpu.name.replace("-", ""))), None)
