"""What a run of the user's own training was seen to do. Plain data: measured by the probe, read by reports.

Times are milliseconds. What was not measured is None or absent, never 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.simulation import Simulated
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
    "too short": "the script ended too early",
    "no step": "no optimizer step was seen",
    "script failed": "the script failed by its own fault",
    "timed out": "the time was up",
    "safety stop": "the script was about to overwrite or remove a checkpoint that was there before",
}
