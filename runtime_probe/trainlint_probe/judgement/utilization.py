"""How much of what a device can compute a step uses (model FLOPs utilization, MFU)."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from trainlint.devices import Device, Precision, device_named
from trainlint.evidence import Run

_NEGLIGIBLE = 1e-3
"""A smaller share of a step's operations, in a type whose peak is not known, changes no digit that is shown."""


@dataclass(frozen=True, slots=True)
class Utilization:
    """What the matrix products, convolutions and attention of a step come to."""

    flops: float
    """Floating point operations in a step."""
    flops_per_second: float
    """By the median step."""
    share: float | None
    """Of the peak of the device, 0 to 1: the time that the step's operations would take there, each in its precision,
    in parts of the median step. None where the peak is not known."""
    why_none: str
    """Why there is no share; empty where there is one."""
    precisions: tuple[str, ...]
    """Of the operations on the device, that of the most first."""
    source: str
    """Where the peak stands; empty where it is not known."""

    @property
    def sentence(self) -> str:
        """For people."""
        work = (
            f"matrix products, convolutions and attention of a step are {_amount(self.flops)}FLOP: "
            f"{_amount(self.flops_per_second)}FLOP/s"
        )
        if self.share is None:
            return f"{work}; no MFU, as {self.why_none}"
        return f"{work}, {self.share:.1%} of the dense peak for {' and '.join(self.precisions)} (MFU)"


def utilization(run: Run) -> Utilization | None:
    """What a run used of its device. None where no operations were counted, and without an accelerator: no peak is
    known of a processor.

    Recomputed forwards (activation checkpointing) count as well, and kernels that are not PyTorch's own do not.
    """
    seconds = median(step.ms for step in run.steps) / 1e3 if run.steps else 0.0
    if seconds <= 0 or not run.flops or run.device == "cpu":
        return None
    precisions = tuple(sorted(run.flops_on_device, key=lambda name: -run.flops_on_device[name]))
    device = _device(run)
    share, why_none = _share(run, device, seconds)
    return Utilization(
        flops=run.flops,
        flops_per_second=run.flops / seconds,
        share=share,
        why_none=why_none,
        precisions=precisions,
        source=device.source if device and share is not None else "",
    )


def _device(run: Run) -> Device | None:
    counted = run.environment.facts.get("GPU multiprocessors", "")
    name = run.environment.facts.get("GPU", "")
    return device_named(name, int(counted) if counted.isdecimal() else None)


def _share(run: Run, device: Device | None, seconds: float) -> tuple[float | None, str]:
    """The share of the peak, or why there is none."""
    if device is None:
        name = run.environment.facts.get("GPU", "")
        return None, f"the peak of {name} is not known" if name else "the device has no name"
    whole = sum(run.flops_on_device.values())
    if not whole:
        return None, "none of them were seen on the device"
    needed = 0.0
    for name, operations in run.flops_on_device.items():
        peak = _peak(device, name)
        if peak is not None:
            needed += operations / (peak * 1e12)
        elif operations > _NEGLIGIBLE * whole:
            return None, f"the peak of {run.environment.facts['GPU']} for {name} is not known"
    share = needed / seconds
    if share > 1:
        return None, "they would be more than the device can do: the step that was counted is not like the median one"
    return share, ""


def _peak(device: Device, precision: str) -> float | None:
    """TFLOP/s. Units without TF32 compute float32 in full, whatever is allowed."""
    known = {kind.value: peak for kind, peak in device.peaks.items()}
    if precision == Precision.TF32.value:
        return known.get(precision, known[Precision.FP32.value])
    return known.get(precision)


def _amount(operations: float) -> str:
    """With a prefix: "4.1 T"."""
    for prefix, size in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6)):
        if operations >= size:
            return f"{operations / size:.1f} {prefix}"
    return f"{operations:.0f} "
