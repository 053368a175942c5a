"""What the device computes, by class of kernel, and on which units."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from trainlint_probe.traces.calls_in_ranges import CallsInRanges
from trainlint_probe.traces.device_work.kernels import KernelClass, Units, kind_of
from trainlint_probe.traces.events import DeviceWork, HostRange, Trace, Work
from trainlint_probe.traces.steps import Window

_ATTENTION = "aten::_scaled_dot_product_"
_MATH = "aten::_scaled_dot_product_attention_math"
_USES_UNITS = (KernelClass.MATRIX_PRODUCT, KernelClass.CONVOLUTION, KernelClass.ATTENTION)


@dataclass(frozen=True, slots=True)
class KernelShare:
    """The kernels of one class."""

    of: KernelClass
    ms: float
    """Per step. Kernels that run side by side count both."""
    share: float
    """Of the time of all kernels, 0 to 1."""
    count: float
    """Per step."""


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """What the device computes in a step."""

    classes: tuple[KernelShare, ...]
    """The longest first."""
    tensor_cores_ms: float
    """Of matrix products, convolutions and attention, on tensor cores or AMD's matrix cores; per step."""
    plain_ms: float
    """The same on other units, in float32 or less; per step."""
    unknown_ms: float
    """The same where a name does not tell; per step."""
    attention: Mapping[str, float]
    """How `scaled_dot_product_attention` was computed → operators per step: "flash", "efficient", "cudnn", "math"."""
    math_attention_ms: float | None
    """What the forward of attention on the math path takes of the device; per step. None where no such path ran."""

    @property
    def tensor_core_share(self) -> float | None:
        """Of the time on known units, how much is tensor cores', 0 to 1. None where nothing could use them."""
        known = self.tensor_cores_ms + self.plain_ms
        return self.tensor_cores_ms / known if known else None


def arithmetic_of(
    trace: Trace, work: Iterable[DeviceWork], calls: Mapping[int, HostRange], window: Window
) -> Arithmetic:
    """What a window asks the device to compute: `work`."""
    kernels = [item for item in work if item.kind is Work.KERNEL]
    ms: dict[KernelClass, float] = defaultdict(float)
    count: Counter[KernelClass] = Counter()
    units: dict[Units, float] = defaultdict(float)
    for item in kernels:
        kind = kind_of(item.name)
        ms[kind.of] += item.end - item.start
        count[kind.of] += 1
        if kind.of in _USES_UNITS and not kind.double:
            units[kind.units] += item.end - item.start
    whole = sum(ms.values())
    attention = [item for item in trace.operators if item.name.startswith(_ATTENTION)]
    return Arithmetic(
        classes=tuple(
            KernelShare(of, took / window.count, took / whole, count[of] / window.count)
            for of, took in sorted(ms.items(), key=lambda item: -item[1])
            if took
        ),
        tensor_cores_ms=units[Units.TENSOR_CORES] / window.count,
        plain_ms=units[Units.PLAIN] / window.count,
        unknown_ms=units[Units.UNKNOWN] / window.count,
        attention=_attention_paths(attention, window),
        math_attention_ms=_math_attention_ms(attention, kernels, calls, window),
    )


def _math_attention_ms(
    attention: Iterable[HostRange], kernels: Iterable[DeviceWork], calls: Mapping[int, HostRange], window: Window
) -> float | None:
    """How long the kernels run that attention on the math path asks for, per step; None where no such path ran."""
    math = [item for item in attention if item.name == _MATH and window.start <= item.start < window.end]
    inside = CallsInRanges(math)
    asked = (item for item in kernels if inside.holds(calls.get(item.correlation or -1)))
    return sum(item.end - item.start for item in asked) / window.count if math else None


def _attention_paths(operators: Iterable[HostRange], window: Window) -> dict[str, float]:
    paths: Counter[str] = Counter()
    for item in operators:
        if window.start <= item.start < window.end and "backward" not in item.name:
            name = item.name.removeprefix(_ATTENTION)
            path = "math" if item.name == _MATH else name.removeprefix("fused_").split("_attention")[0]
            paths[path] += 1
    return {path: count / window.count for path, count in paths.items()}
