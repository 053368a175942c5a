"""The process in which budgets are open: what is replaced for them, and what is counted of it as a whole."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch

from trainlint.evidence.run import Counted, Seen
from trainlint_probe.budgets import loading, on_simulation
from trainlint_probe.budgets.account import (
    ALLOCATIONS,
    GRAPH_BREAKS,
    OF_A_GPU,
    RECOMPILES,
    Account,
    asked_of_driver,
    counted,
    of_compiling,
)
from trainlint_probe.budgets.limits import UnusableBudget
from trainlint_probe.budgets.on_cuda import OnCuda
from trainlint_probe.budgets.words import NO_DEVICE, NOTHING_ON_GPU, SIMULATED, UNKNOWN_ALLOCATIONS
from trainlint_probe.watch.compiles import Compiles
from trainlint_probe.watch.imported import Imports
from trainlint_probe.watch.lines import Lines
from trainlint_probe.watch.memory import of_device
from trainlint_probe.watch.patches import DYNAMO, Patches, hide_from_dynamo
from trainlint_probe.watch.watching import Watch


@dataclass(frozen=True, slots=True)
class ProcessSample:
    """A moment, and what was counted of the process until then."""

    at_ns: int
    at: float
    """As time.time counts."""
    seen: tuple[Seen, ...] = ()
    """What torch.compile did."""
    allocations: int | None = None
    simulated: bool = False
    """Whether a simulated GPU is on."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What was counted between two moments."""

    counted: tuple[Counted, ...]
    not_counted: Mapping[str, str]
    """Limits that could not be counted → why."""
    notes: tuple[str, ...]


class _Process:
    """Its replaced calls stay in place while a budget is open in any thread."""

    def __init__(self) -> None:
        self.watch = Watch(str(Path.cwd()), str(Path.cwd()))
        self.compiles = Compiles(self.watch)
        self.imports = Imports()
        self.lock = threading.Lock()
        self.open = 0
        self.on_cuda = OnCuda(self.watch.ledger.lines)
        self.patches = Patches()
        self.is_in_place = False


_process = _Process()


def open_budget(limits: Mapping[str, float]) -> None:
    """A budget opens. On a simulated GPU, whose log tells all, nothing is replaced.

    Raises:
        UnusableBudget: there is no GPU, and the limits are about one.
    """
    is_real = torch.cuda.is_available()  # true on a simulated one as well
    if not is_real and (named := " and ".join(name for name in limits if name in OF_A_GPU)):
        raise UnusableBudget(
            f"there is no GPU, so that {named} cannot be counted; open the budget inside of `with "
            "trainlint_probe.simulated_gpu():`, which needs none"
        )
    with _process.lock:
        _process.open += 1
        if on_simulation.is_on() or _process.is_in_place:
            return
        _process.patches = Patches()
        loading.install(_process.patches, lines())
        if is_real:
            _process.on_cuda.install(_process.patches)
            _process.on_cuda.waits.start()
        _process.imports.when(DYNAMO, hide_from_dynamo)
        _process.is_in_place = True


def closed() -> None:
    """A budget closes; with the last, PyTorch's own calls are back."""
    with _process.lock:
        _process.open -= 1
        if not _process.open and _process.is_in_place:
            _process.patches.take_out()
            _process.on_cuda.waits.stop()
            _process.is_in_place = False


def is_budget_open() -> bool:
    """Whether one is, in any thread."""
    return _process.open > 0


def lines() -> Lines:
    """What tells the user's code from libraries in this process."""
    return _process.watch.ledger.lines


def sample_process(limits: Mapping[str, float], since: float = 0.0) -> ProcessSample:
    """This moment, with what these limits need of the process. Recompiles are those since a time."""
    seen = _process.compiles.seen(since) if GRAPH_BREAKS in limits or RECOMPILES in limits else ()
    simulated = on_simulation.is_on()
    allocations = _allocations() if ALLOCATIONS in limits and not simulated else None
    return ProcessSample(time.perf_counter_ns(), time.time(), seen, allocations, simulated)


def counts_between(began: ProcessSample, ended: ProcessSample, account: Account, limits: Mapping[str, float]) -> Counts:
    """What was counted between two moments for these limits, on an account and of the process.

    Raises:
        UnusableBudget: the limits are about a GPU, and nothing was put on it.
    """
    is_used = on_simulation.is_used() if began.simulated else torch.cuda.is_initialized()
    if not is_used and not OF_A_GPU.isdisjoint(limits):
        raise UnusableBudget(NOTHING_ON_GPU)
    of_process = (
        *of_compiling(ended.seen, began.seen),
        *asked_of_driver(began.allocations or 0, ended.allocations or 0),
    )
    of_account = counted({}, account.read(), str(Path.cwd()), ended.at_ns - began.at_ns)
    if began.simulated:
        return Counts(of_account, on_simulation.NOT_COUNTED, (SIMULATED,))
    not_counted = {} if ended.allocations is not None else {ALLOCATIONS: UNKNOWN_ALLOCATIONS if is_used else NO_DEVICE}
    return Counts((*of_account, *of_process), not_counted, ())


def _allocations() -> int | None:
    """How often the driver was asked for device memory so far; None where that is not known."""
    held = of_device() if torch.cuda.is_initialized() else None
    return None if held is None else held.device_allocations
