"""What accelerators can compute at most."""

from collections import Counter

import pytest

from trainlint.devices import DEVICES, Device, Precision, device_named

FP32, TF32, FP16, BF16, FP8 = Precision


@pytest.mark.parametrize(
    ("name", "precision", "peak"),
    [
        ("Tesla V100-SXM2-16GB", FP16, 125.0),
        ("Tesla T4", FP16, 65.0),
        ("NVIDIA A100-SXM4-40GB", BF16, 312.0),
        ("A100-SXM4-40GB", TF32, 156.0),
        ("NVIDIA A100 80GB PCIe", BF16, 312.0),
        ("NVIDIA A10", BF16, 125.0),
        ("NVIDIA A10G", BF16, 70.0),
        ("NVIDIA L4", FP8, 242.5),
        ("NVIDIA H100 80GB HBM3", BF16, 989.5),
        ("NVIDIA H100 PCIe", BF16, 756.5),
        ("NVIDIA H100 NVL", BF16, 835.5),
        ("NVIDIA H200", FP8, 1979.0),
        ("NVIDIA B200", BF16, 2250.0),
        ("NVIDIA RTX A6000", BF16, 154.8),
        ("GeForce RTX 2080 Ti", FP16, 53.8),
        ("NVIDIA GeForce RTX 3090", BF16, 71.0),
        ("NVIDIA GeForce RTX 4090", BF16, 165.2),
        ("NVIDIA GeForce RTX 5090", BF16, 209.5),
        ("AMD Instinct MI210", BF16, 181.0),
        ("AMD Instinct MI300X", FP8, 2614.9),
    ],
)
def test_devices_are_known_by_the_names_that_pytorch_says(name: str, precision: Precision, peak: float) -> None:
    device = device_named(name)
    assert device is not None
    assert device.peaks[precision] == peak


@pytest.mark.parametrize(
    "name",
    [
        "",
        "NVIDIA A100-SXM4-40GB MIG 1g.5gb",  # a seventh of one
        "GRID A100X-40C",  # a virtual one
        "NVIDIA GeForce RTX 4090 Laptop GPU",  # another chip
        "NVIDIA GeForce RTX 4090 D",  # another count of units
        "NVIDIA A100-SXM-64GB",  # likewise
        "AMD Instinct MI300X VF",
        "Intel(R) Data Center GPU Max 1550",
    ],
)
def test_what_only_looks_like_a_known_device_is_not_known(name: str) -> None:
    assert device_named(name) is None


def test_devices_of_one_name_are_told_apart_by_their_units() -> None:
    name = "AMD Instinct MI250X / MI250"
    peaks = [device.peaks[BF16] for units in (104, 110) if (device := device_named(name, units))]
    assert peaks == [181.05, 191.5]
    assert device_named(name) is None
    assert device_named("NVIDIA GeForce RTX 3080", 70) is None  # the one with 12 GB
    assert device_named("AMD Instinct MI300X", 38) is None  # one of eight parts
    assert device_named("AMD Instinct MI300X", 304)


def names(*starts: str) -> list[Device]:
    return [device for device in DEVICES if device.names[0].startswith(starts)]


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.names[0])
def test_figures_agree_with_each_other(device: Device) -> None:
    """A sparse figure among dense ones, or a slip of the pen, would break these ratios of each architecture."""
    peaks = device.peaks
    assert device.source
    assert peaks[FP32] == min(peaks.values())
    if TF32 in peaks:
        # Half the rate for twice the bits, everywhere; what is printed is rounded.
        assert peaks[BF16] == peaks[FP16] == pytest.approx(2 * peaks[TF32], rel=0.03)
    if FP8 in peaks:
        assert peaks[FP8] == pytest.approx(2 * peaks[BF16], rel=0.02)


def test_geforce_cards_multiply_at_half_of_the_rate_where_sums_are_float32() -> None:
    """Their siblings for workstations do not."""
    for device in names("RTX 20"):
        assert device.peaks[FP16] == pytest.approx(4 * device.peaks[FP32], rel=0.01)
    for device in names("RTX 30", "RTX 40", "RTX 507", "RTX 508", "RTX 509"):
        assert device.peaks[FP16] == pytest.approx(2 * device.peaks[FP32], rel=0.01)
    for device in names("RTX A", "RTX 6000 Ada", "RTX 5000 Ada", "A40"):
        assert device.peaks[FP16] == pytest.approx(4 * device.peaks[FP32], rel=0.01)


def test_a_name_is_given_once_unless_units_tell() -> None:
    given = Counter((name.lower(), device.multiprocessors) for device in DEVICES for name in device.names)
    assert max(given.values()) == 1
