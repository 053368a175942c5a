"""What a run on simulated GPUs was seen to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Called, Line
from trainlint.symptoms import Symptom


@dataclass(frozen=True, slots=True)
class DeviceEvent:
    """What one line did on a simulated device in the window, all steps together."""

    kind: str
    """"wait": the host waits until the device has done all that was queued. "copy": between host and device."""
    what: str
    """The operator or function: "Tensor.item", "index by a mask"."""
    path: str
    """Of the user's line that caused it; of a library's where no line of the user's is on the stack."""
    line: int
    function: str
    chain: tuple[Called, ...]
    """The calls that led there, the innermost first; it begins with the library's line where a library did it."""
    inside: str
    """The line of PyTorch's own Python code that did it; empty where the first line of the chain called C++ itself."""
    count: int
    steps: int
    """In how many steps of the window it happened."""
    bytes: int
    """Of copies, all together."""
    direction: str = ""
    """Of copies: "host to device", "device to host", "device to device"."""
    blocking: bool = True
    """Whether the host stands still until it is done."""
    pageable: bool = False
    """Of copies: whether the memory of the host is not pinned."""
    in_backward: bool = False
    forward: Line | None = None
    """Of what happens in the backward pass: the line whose operation it belongs to, where that is known."""

    @property
    def symptom(self) -> Symptom:
        """As what lines are known to do it."""
        if self.what.endswith("empty_cache"):
            return Symptom.CACHE_EMPTIED
        is_upload = self.kind == "copy" and self.direction == "host to device"
        return Symptom.HOST_TO_DEVICE if is_upload else Symptom.HOST_SYNC


@dataclass(frozen=True, slots=True)
class Price:
    """What a step would gain without the waits of one line, by a model of the device's queue."""

    at: Line
    gain: Interval


@dataclass(frozen=True, slots=True)
class Simulated:
    """What a run on simulated GPUs shows besides its events."""

    gpu: str
    """Its name, as PyTorch says it."""
    devices: int
    events: tuple[DeviceEvent, ...]
    """The most frequent first."""
    step_ms: Interval | None
    """What a step would take on this GPU, data loading aside; None where no step was taken down."""
    prices: tuple[Price, ...]
    """The dearest first. The prices of several lines do not add up: one wait does for what another would."""
    launches: float
    """Operators that a step queues for the device, in the mean."""
    peak: tuple[int, ...]
    """The most bytes that tensors held of each device, since the start."""
    executed: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The lines of the user's files that ran in the window; since torch was imported where what is computed is kept."""
    corners_ms: tuple[float, ...] = ()
    """What a step would take at each corner of what is assumed of the host and the device, in the same order in each
    run, so that two runs can be compared. Empty where no step was taken down."""
    values: bool = True
    """Whether values were computed: without them, losses and parameters mean nothing."""
    decided: tuple[Line, ...] = ()
    """The lines that decided by a value of the device that was not computed, and may go the other way with it."""
    sized: tuple[Line, ...] = ()
    """The lines whose results have a size that depends on such a value."""
    compiled: int = 0
    """How many functions that were given to torch.compile were called; each is counted once with gradients, and once
    without."""
    breaks_unknown: tuple[str, ...] = ()
    """Those of which not all graph breaks are known, and why: "Net (RuntimeError: ...)"."""
