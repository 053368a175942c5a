"""What accelerators can compute at most, by their makers' figures.

Each figure is the dense peak of a whole device in TFLOP/s (10¹² floating point operations a second) with sums kept in
float32, as PyTorch's products keep them. Two habits of data sheets are undone here: since Ampere, NVIDIA prints the
figure for 2:4 sparse matrices, twice the dense one; and GeForce cards compute products of 16 bits at half their printed
rate where sums are kept in float32. A figure that the source does not print, and a device that is not found by its
exact name, is left out: shares of a guessed peak are worse than none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache


class Precision(Enum):
    """What the factors of a product are held in while it is computed."""

    FP32 = "fp32"
    TF32 = "tf32"
    """float32 in memory, of which the units read 19 bits."""
    FP16 = "fp16"
    BF16 = "bf16"
    FP8 = "fp8"


@dataclass(frozen=True, slots=True)
class Device:
    """One model of accelerator."""

    names: tuple[str, ...]
    """As `torch.cuda.get_device_name()` says them, without the maker's name and brand before it."""
    peaks: Mapping[Precision, float]
    """TFLOP/s."""
    source: str
    """Where the figures stand."""
    multiprocessors: int | None = None
    """Of the whole device (AMD: compute units). Named where devices of one name have more or fewer of them, or where
    parts of a device keep its name."""


def device_named(name: str, multiprocessors: int | None = None) -> Device | None:
    """The accelerator that PyTorch calls so, or None where no figures of it are known.

    Laptops' chips, parts of a device (MIG) and virtual ones have names of their own, and are not known: their clocks
    and shares differ. `multiprocessors` is what PyTorch counts, where it was asked: it tells devices of one name apart.
    """
    found = [
        device
        for device in _by_name().get(_plain(name), ())
        if None in (device.multiprocessors, multiprocessors) or device.multiprocessors == multiprocessors
    ]
    return found[0] if len(found) == 1 else None


def _plain(name: str) -> str:
    words = name.lower().split()
    while words and words[0] in _BRANDS:
        words.pop(0)
    return " ".join(words)


@cache
def _by_name() -> Mapping[str, Sequence[Device]]:
    found: dict[str, list[Device]] = {}
    for device in DEVICES:
        for name in device.names:
            found.setdefault(name.lower(), []).append(device)
    return found


_BRANDS = ("nvidia", "amd", "tesla", "quadro", "geforce", "instinct")


def _volta(fp32: float, fp16: float) -> dict[Precision, float]:
    """Tensor cores for fp16 alone."""
    return {Precision.FP32: fp32, Precision.FP16: fp16}


def _ampere(fp32: float, tf32: float, half: float) -> dict[Precision, float]:
    """`half` is what fp16 and bf16 have in common."""
    return {Precision.FP32: fp32, Precision.TF32: tf32, Precision.FP16: half, Precision.BF16: half}


def _with_fp8(fp32: float, tf32: float, half: float, fp8: float) -> dict[Precision, float]:
    return {**_ampere(fp32, tf32, half), Precision.FP8: fp8}


def _cdna2(fp32: float, half: float) -> dict[Precision, float]:
    return {Precision.FP32: fp32, Precision.FP16: half, Precision.BF16: half}


_TURING = "NVIDIA Turing GPU Architecture, white paper (reference clocks, fp16 with sums in float32)"
_GA102 = "NVIDIA Ampere GA102 GPU Architecture, white paper (fp16 with sums in float32)"
_ADA = "NVIDIA Ada GPU Architecture, white paper (fp16 and fp8 with sums in float32)"
_BLACKWELL = "NVIDIA RTX Blackwell GPU Architecture, white paper (fp16 and fp8 with sums in float32)"
_V100 = "NVIDIA V100 Tensor Core GPU, data sheet"
_A100 = "NVIDIA A100 Tensor Core GPU, data sheet"
_H100 = "NVIDIA H100 Tensor Core GPU, data sheet (figures with sparsity, halved)"
_H200 = "NVIDIA H200 Tensor Core GPU, data sheet (figures with sparsity, halved)"
_B200 = "NVIDIA Blackwell platform (GB200 NVL72, HGX B200), data sheet (figures with sparsity, halved)"

DEVICES: tuple[Device, ...] = (
    # Data centre, NVIDIA.
    Device(
        ("V100-SXM2-16GB", "V100-SXM2-32GB", "V100-DGXS-16GB", "V100-DGXS-32GB"),
        _volta(15.7, 125.0),
        _V100,
    ),
    Device(("V100-PCIE-16GB", "V100-PCIE-32GB"), _volta(14.0, 112.0), _V100),
    Device(("V100S-PCIE-32GB",), _volta(16.4, 130.0), _V100),
    Device(("T4",), _volta(8.1, 65.0), "NVIDIA T4 Tensor Core GPU, data sheet"),
    Device(
        (
            "A100-SXM4-40GB",
            "A100-SXM4-80GB",
            "A100-SXM-80GB",
            "A100-PCIE-40GB",
            "A100 80GB PCIe",
        ),
        _ampere(19.5, 156.0, 312.0),
        _A100,
    ),
    Device(("A800-SXM4-80GB", "A800 80GB PCIe"), _ampere(19.5, 156.0, 312.0), "NVIDIA A800 80GB, data sheet"),
    Device(("A10",), _ampere(31.2, 62.5, 125.0), "NVIDIA A10 Tensor Core GPU, data sheet"),
    Device(("A10G",), _ampere(35.0, 35.0, 70.0), "NVIDIA A10G for AWS, data sheet"),
    Device(("A30",), _ampere(10.3, 82.0, 165.0), "NVIDIA A30 Tensor Core GPU, data sheet"),
    Device(("A40",), _ampere(37.4, 74.8, 149.7), "NVIDIA A40, data sheet"),
    Device(("A2",), _ampere(4.5, 9.0, 18.0), "NVIDIA A2 Tensor Core GPU, data sheet"),
    Device(
        ("L4",),
        _with_fp8(30.3, 60.0, 121.0, 242.5),
        "NVIDIA L4 Tensor Core GPU, data sheet (figures with sparsity, halved)",
    ),
    Device(("L40",), _with_fp8(90.5, 90.5, 181.05, 362.0), "NVIDIA L40, data sheet"),
    Device(("L40S",), _with_fp8(91.6, 183.0, 362.05, 733.0), "NVIDIA L40S, data sheet"),
    Device(("H100 80GB HBM3",), _with_fp8(67.0, 494.5, 989.5, 1979.0), _H100),
    Device(("H100 PCIe",), _with_fp8(51.0, 378.0, 756.5, 1513.0), _H100),
    Device(("H100 NVL",), _with_fp8(60.0, 417.5, 835.5, 1670.5), _H100),
    Device(
        ("GH200 120GB", "GH200 480GB", "GH200 144G HBM3e"),
        _with_fp8(67.0, 494.5, 989.5, 1979.0),
        "NVIDIA GH200 Grace Hopper Superchip, data sheet (figures with sparsity, halved)",
    ),
    Device(("H200",), _with_fp8(67.0, 494.5, 989.5, 1979.0), _H200),
    Device(("H200 NVL",), _with_fp8(60.0, 417.5, 835.5, 1670.5), _H200),
    Device(("B200",), _with_fp8(75.0, 1100.0, 2250.0, 4500.0), _B200),
    Device(("GB200",), _with_fp8(80.0, 1250.0, 2500.0, 5000.0), _B200),
    # Workstations, NVIDIA.
    Device(("TITAN RTX",), _volta(16.3, 130.5), "NVIDIA Turing GPU Architecture, white paper"),
    Device(("RTX A6000",), _ampere(38.7, 77.4, 154.8), _GA102),
    Device(("RTX A5000",), _ampere(27.8, 55.6, 111.1), "NVIDIA RTX A5000, data sheet (figures with sparsity, halved)"),
    Device(("RTX A4000",), _ampere(19.2, 38.3, 76.7), "NVIDIA RTX A4000, data sheet (figures with sparsity, halved)"),
    Device(
        ("RTX 6000 Ada Generation",),
        _with_fp8(91.1, 182.1, 364.2, 728.5),
        "NVIDIA RTX 6000 Ada Generation, data sheet (figures with sparsity, halved)",
    ),
    Device(
        ("RTX 5000 Ada Generation",),
        _with_fp8(65.3, 130.5, 261.1, 522.1),
        "NVIDIA RTX 5000 Ada Generation, data sheet (figures with sparsity, halved)",
    ),
    # GeForce.
    Device(("RTX 2080 Ti",), _volta(13.4, 53.8), _TURING),
    Device(("RTX 2080 SUPER",), _volta(11.2, 44.6), _TURING),
    Device(("RTX 2080",), _volta(10.1, 40.3), _TURING),
    Device(("RTX 2070 SUPER",), _volta(9.1, 36.3), _TURING),
    Device(("RTX 2070",), _volta(7.5, 29.9), _TURING),
    Device(("RTX 2060 SUPER",), _volta(7.2, 28.7), _TURING),
    Device(("RTX 2060",), _volta(6.5, 25.8), _TURING, multiprocessors=30),
    Device(("RTX 3090 Ti",), _ampere(40.0, 40.0, 80.0), _ADA),
    Device(("RTX 3090",), _ampere(35.6, 35.6, 71.0), _GA102),
    Device(("RTX 3080 Ti",), _ampere(34.1, 34.1, 68.2), _GA102),
    Device(("RTX 3080",), _ampere(29.8, 29.8, 59.5), _GA102, multiprocessors=68),
    Device(("RTX 3070",), _ampere(20.3, 20.3, 40.6), _GA102),
    Device(("RTX 4090",), _with_fp8(82.6, 82.6, 165.2, 330.3), _ADA),
    Device(("RTX 4080",), _with_fp8(48.7, 48.7, 97.5, 194.9), _ADA),
    Device(("RTX 4070 Ti",), _with_fp8(40.1, 40.1, 80.2, 160.4), _ADA),
    Device(("RTX 4070",), _with_fp8(29.1, 29.1, 58.3, 116.6), _ADA),
    Device(("RTX 5090",), _with_fp8(104.8, 104.8, 209.5, 419.0), _BLACKWELL),
    Device(("RTX 5080",), _with_fp8(56.3, 56.3, 112.6, 225.1), _BLACKWELL),
    Device(("RTX 5070 Ti",), _with_fp8(43.9, 43.9, 87.9, 175.8), _BLACKWELL),
    Device(("RTX 5070",), _with_fp8(30.9, 30.9, 61.7, 123.5), _BLACKWELL),
    # AMD. PyTorch sees each of the two dies of an MI250 or MI250X as a device, and calls either by both names: theirs
    # are halves of the printed figures. An MI300 may be lent out in parts that keep its name and count fewer units.
    Device(
        ("MI100",),
        {Precision.FP32: 46.1, Precision.FP16: 184.6, Precision.BF16: 92.3},
        "AMD Instinct MI100, data sheet (matrix cores)",
    ),
    Device(("MI210",), _cdna2(45.3, 181.0), "AMD Instinct MI210, data sheet (matrix cores)"),
    Device(
        ("MI250", "MI250X / MI250"),
        _cdna2(45.25, 181.05),
        "AMD Instinct MI250, data sheet (matrix cores, half a card)",
        multiprocessors=104,
    ),
    Device(
        ("MI250X", "MI250X / MI250"),
        _cdna2(47.85, 191.5),
        "AMD Instinct MI250X, data sheet (matrix cores, half a card)",
        multiprocessors=110,
    ),
    Device(
        ("MI300A",),
        _with_fp8(122.6, 490.3, 980.6, 1961.2),
        "AMD Instinct MI300A, data sheet (matrix cores)",
        multiprocessors=228,
    ),
    Device(
        ("MI300X",),
        _with_fp8(163.4, 653.7, 1307.4, 2614.9),
        "AMD Instinct MI300X, data sheet (matrix cores)",
        multiprocessors=304,
    ),
    Device(
        ("MI325X",),
        _with_fp8(163.4, 653.7, 1307.4, 2614.9),
        "AMD Instinct MI325X, data sheet (matrix cores)",
        multiprocessors=304,
    ),
)
