"""What a run of the user's own training was seen to do. Plain data: measured by the probe, read by reports and `check`.

Times are milliseconds. What was not measured is None or absent, never 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from trainlint.symptoms import Symptom


class Phase(Enum):
    """What the host spends a step on. Phases are exclusive: those of a step add up to its time."""

    DATA_WAIT = "data wait"
    HOST_TO_DEVICE = "host to device"
    FORWARD = "forward"
    BACKWARD = "backward"
    OPTIMIZER = "optimizer"
    EVALUATION = "evaluation"
    CHECKPOINT = "checkpoint"
    OTHER = "other"


@dataclass(frozen=True, slots=True, order=True)
class Line:
    """A line of source."""

    path: str
    """As findings show it: relative to the working directory where possible, with forward slashes."""
    line: int
    """From 1."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A time that is known to lie between two bounds, in milliseconds per step."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Seen:
    """What one line did in the window, all steps together."""

    at: Line
    symptom: Symptom
    what: str
    """The call, as people know it: "Tensor.item", "DataLoader.__next__"."""
    calls: int
    host_ms: float | None = None
    """The time that the host spent in these calls."""
    fastest_ms: float | None = None
    """What the fastest of these calls took, since the start."""
    direct: bool = True
    """Whether the user's own line makes the call; False where a library makes it on the line's behalf."""
    device: str = ""
    """The type of device of the tensor: "cuda", "cpu"; empty where there is none."""
    recoverable: Interval | None = None
    """What a step would gain if the calls did not hold it up, where a trace of the device tells."""
    details: Mapping[str, str] = field(default_factory=dict)
    """What else is known, for people: "file", "reason"."""
    steps: int | None = None
    """Over how many steps the calls were counted; None where over those of the window."""


@dataclass(frozen=True, slots=True)
class Memory:
    """The device's allocator at the end of a step. Counts run from the start of the process.

    Without an accelerator only `allocated` is known.
    """

    allocated: int
    """Bytes that tensors hold; without an accelerator, all that the process holds of the C library's heap, in which
    tensors lie."""
    reserved: int | None = None
    inactive_split: int | None = None
    peak: int | None = None
    """The most bytes that tensors held."""
    retries: int | None = None
    out_of_memory: int | None = None
    device_allocations: int | None = None
    """How often the driver was asked for memory."""
    device_frees: int | None = None


@dataclass(frozen=True, slots=True)
class Alive:
    """What a training keeps at the end of a step, after Python's garbage was collected."""

    tensors: int
    """That Python can reach."""
    graph_nodes: int
    """Operations that autograd remembers for them."""
    memory: Memory | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the optimizer."""

    ms: float
    phases: Mapping[Phase, float]
    """Milliseconds; together `ms`."""
    micro_batches: int = 1
    """How often backward ran."""
    memory: Memory | None = None


@dataclass(frozen=True, slots=True)
class Loader:
    """A DataLoader that gave batches in the window."""

    made_at: Line | None
    drawn_at: Line | None
    settings: Mapping[str, str]
    """Its arguments, in Python's writing: {"num_workers": "0", "pin_memory": "False"}."""
    batches: int
    wait_ms: float
    """What the training waited for them."""
    cpu_ms: float | None = None
    """Of this, the time for which the waiting thread itself computed: without workers, it makes the batches."""
    handover_ms: float | None = None
    """What it takes the training to receive one of these batches from a worker process: tried after the window, with a
    copy of a batch, where the loader has no workers."""
    batch_bytes: int | None = None
    """The size of the tensors of that batch."""


@dataclass(frozen=True, slots=True)
class Optimizer:
    """An optimizer that stepped in the window."""

    name: str
    stepped_at: Line | None
    steps: int
    path: str
    """How it updates: "fused", "foreach" or "for-loop"; empty where that is not known."""
    parameters: int
    """How many tensors it updates."""


@dataclass(frozen=True, slots=True)
class Environment:
    """The machine and the software of a run."""

    facts: Mapping[str, str]
    """Name → value: "torch", "CUDA", "driver", "GPU", "CPU threads", "git commit" ..."""
    concerns: tuple[str, ...] = ()
    """What is off, each a sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class Cores:
    """Who had the cores of the machine in the window."""

    available: int
    """That the process may use."""
    own: float
    """How many its threads used in the mean."""
    others: float | None = None
    """How many other programs used, of those that the process may use; None where the system does not tell, or the
    window was too short to tell."""
    waited: float | None = None
    """The share of the window, 0 to 1, for which the training's thread was ready to run and had no core; None where the
    system does not count it."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What one line did that a budget limits."""

    limit: str
    """The name of the limit, as in the configuration: "syncs"."""
    at: Line | None
    """None where no line of the user's is known."""
    what: str
    """The call, as people know it: "Tensor.item"."""
    count: float
    """In the steps that were counted, all together."""
    via: str = ""
    """The library's line that makes the call, where one does."""
    allowed: str = ""
    """Why it is allowed, in the words of the code; empty where it is not."""


@dataclass(frozen=True, slots=True)
class Called:
    """A line of a call chain."""

    path: str
    line: int
    function: str


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


@dataclass(frozen=True, slots=True)
class Price:
    """What a step would gain without the waits of one line, by a model of the device's queue."""

    at: Line
    gain: Interval


@dataclass(frozen=True, slots=True)
class Computed:
    """What a training computed in one step, kept where two runs are compared bit by bit."""

    losses: tuple[str, ...]
    """The numbers that backward was called on, as Python writes them: no bit is lost, and "nan" and "inf" are kept."""
    parameters: str
    """The SHA-256 of the parameters that optimizers hold, after the step; empty where that was not read."""
    draws: tuple[int, ...] = ()
    """How many random numbers PyTorch drew at a time, in their order: below 0 on simulated devices, which draw from
    the host's generator, as a real one does not. Empty on real devices, where this is not seen."""


@dataclass(frozen=True, slots=True)
class Computation:
    """What a training computed from its start to the end of the window."""

    steps: tuple[Computed, ...]
    """Those of the warm-up included."""
    state: str = ""
    """The SHA-256 of all parameters and buffers at the end; empty where none were found."""
    norm: float | None = None
    """The Euclidean norm of all of these together."""
    sources: tuple[str, ...] = ()
    """The user's own modules that were imported, by the real paths of their files."""


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


@dataclass(frozen=True, slots=True)
class Run:
    """What one process of a training was seen to do."""

    command: tuple[str, ...]
    """What was run, as the user wrote it; values of options that look secret are left out."""
    environment: Environment
    outcome: str
    """How it ended: one of OUTCOMES."""
    warmup: int = 0
    """Steps before the window."""
    steps: tuple[Step, ...] = ()
    clock: str = ""
    """What counts as a step: "AdamW.step at train.py:77"."""
    seen: tuple[Seen, ...] = ()
    loaders: tuple[Loader, ...] = ()
    optimizers: tuple[Optimizer, ...] = ()
    rank: int = 0
    world_size: int = 1
    device: str = "cpu"
    cores: Cores | None = None
    """Who had the machine's cores while the steps ran; None where that was not measured."""
    alive: tuple[Alive, ...] = ()
    """What was kept at the end of the window, and after each of a few more steps: looked at where memory had grown."""
    counted: tuple[Counted, ...] = ()
    """What the lines did that a budget limits; empty where no budget was asked for."""
    simulated: Simulated | None = None
    """What was counted where the GPU was simulated; times then mean nothing. None on a real device."""
    computed: Computation | None = None
    """What it computed; None where nothing was to be compared."""
    redirected: tuple[str, ...] = ()
    """Files that the script meant to write and that were written to a temporary directory, which is gone."""
    exit_code: int | None = None
    """The script's own, where it ended by itself."""
    failure: str = ""
    """What ended the script, where it failed: the exception's own words, and the line of the user's that it comes from.
    """
    notes: tuple[str, ...] = ()
    """What the reader must know of the measurement, in sentences."""


OUTCOMES: Mapping[str, str] = {
    "window closed": "the steps asked for were seen",
    "too short": "the script ended before the window closed",
    "no step": "no optimizer step was seen",
    "script failed": "the script failed by its own fault",
    "timed out": "the time was up before the window closed",
    "safety stop": "the script was about to overwrite or remove a checkpoint that was there before",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """The source files that verdicts are about, as they were when they were judged."""

    directory: str | None = None
    """The working directory of the run, from the root of the git repository that it is in; None outside of one."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """The path of each, as verdicts name it → the SHA-256 of its bytes, in hexadecimal."""


class State(Enum):
    """What the run says of a finding."""

    CONFIRMED = "confirmed"
    """It costs at least the threshold; or it happens, where that alone is what the finding says."""
    REFUTED = "refuted"
    """The line ran, and what it costs is less than the threshold."""
    INCONCLUSIVE = "inconclusive"
    """It may cost more or less than the threshold."""
    UNMEASURED = "executed, unmeasured"
    """The line ran, and what it costs cannot be measured: it shows on an accelerator alone, or the probe cannot see it.
    """
    NOT_OBSERVED = "not observed"
    """Nothing of it was seen, and the line is not known to have run."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Which verdict is meant."""

    code: str
    at: Line


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a run says of one finding."""

    code: str
    name: str
    at: Line
    state: State
    sentence: str
    """Why, with the numbers."""
    cost: Interval | None = None
    share: Interval | None = None
    """Of the step, 0 to 1. The fields are shares, not milliseconds."""
    per_step: float | None = None
    """How often the line runs in a step."""
    basis: str = ""
    """What the numbers rest on: "timer", "trace", "counter", "trial"."""
    message: str = ""
    """What the finding says."""
    new: bool = False
    """Whether only the run could see it."""
    fix: str = ""
    """How safe the finding's fix is, "safe", "numerics" or "unsafe"; empty where it has none, or where it was tried and
    speaks against itself."""
    same_as: Reference | None = None
    """Of what only the run could see: the finding in the code that says the same of the same line. The two are one
    defect, and what is to be done about it stands with the other."""
