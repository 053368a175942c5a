"""What the parent asks of the process that runs the user's script, in one environment variable."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trainlint.evidence.as_json import Damaged, from_json, to_json

VARIABLE = "TRAINLINT_PROBE"

SIMULATED_WARMUP, SIMULATED_STEPS = 3, 20
"""Steps before and in the window on a simulated device: counts do not scatter as times do."""

START_TIMEOUT = 300.0
"""Seconds that the first step may take to come, at most."""

SAFETY_STOP = 5
"""The exit code, of the child and then of `trainlint probe`, where a checkpoint was about to be overwritten."""
TIMED_OUT = 124
"""Likewise where the time was up."""


@dataclass(frozen=True, slots=True)
class ChildSettings:
    """How long to watch, and where the evidence goes."""

    output: str
    """An existing directory, ours alone."""
    warmup: int = 10
    """The fewest steps before the window."""
    warmup_limit: int = 40
    """The most: a training whose steps never settle is measured nevertheless, and the evidence says so."""
    steps: int = 30
    simulated_warmup: int = SIMULATED_WARMUP
    """Steps before the window on a simulated device, where nothing need settle."""
    simulated_steps: int = SIMULATED_STEPS
    """Steps of the window there."""
    fallback_after: int = 200
    """After so many batches without an optimizer step, batches are taken for steps."""
    start_timeout: float = START_TIMEOUT
    """Seconds from the start to the first step."""
    timeout: float = 600.0
    """Seconds from the first step to the end of the window."""
    deep_steps: int = 0
    """Steps under the PyTorch profiler, after the window."""
    deep_without_device: bool = True
    """Whether to profile where there is no accelerator, too: a profile shows no waits there."""
    device: str = "real"
    """"real": whatever PyTorch finds. "auto": a GPU if there is one, else a simulated one. "simulated:NAME" or
    "simulated:NAMExN": N simulated GPUs of this name."""
    simulated_values: bool = True
    """Whether a simulated device computes values; without them, its tensors have a shape and a type alone."""
    simulated_ranks: int = 1
    """How many ranks a simulated training has, of which this process is the first."""
    compares: bool = False
    """Whether what each step computes is kept, to be compared with that of another run."""
    seed: int | None = None
    """What random numbers start from where the script seeds none itself; None leaves them alone."""
    edits: Mapping[str, str] = field(default_factory=dict)
    """By the real path of a file of the user's: the file with the text that takes its place."""
    moved: tuple[str, ...] = ()
    """A directory, and the one whose modules are imported in its stead; empty where there is none."""
    hides_devices: bool = False
    """Whether the script shall see no GPU."""
    budget: bool = False
    """Whether what a budget limits is counted at each line."""
    lines_of: tuple[str, ...] = ()
    """Files of libraries whose lines are watched on a simulated device as the user's own are, by their real paths."""
    notes_progress: bool = False
    """Whether the parent is to know how far the run is while it lasts."""
    parent: int = 0
    """The process that waits for the evidence: where it is gone, its children end too. 0: nobody waits."""
    command: tuple[str, ...] = ()
    """What was run, as the user wrote it, without secrets."""
    script_directory: str = ""
    """Where the script lies: the user's own code, wherever that is."""
    directory: str = ""
    """The working directory that paths are shown relative to."""
    overlaid: tuple[str, ...] = ()
    """Directories in which the script writes to a layer: nothing there is to be guarded."""


def as_environment(orders: ChildSettings) -> dict[str, str]:
    """The environment variable that carries orders."""
    return {VARIABLE: json.dumps(to_json(orders))}


def from_environment(environment: Mapping[str, str]) -> ChildSettings:
    """The orders of this process.

    Raises:
        Damaged: the variable is missing or holds something else.
    """
    text = environment.get(VARIABLE)
    if text is None:
        raise Damaged(f"The environment variable {VARIABLE} is missing: start the script by `trainlint probe`.")
    try:
        orders = from_json(json.loads(text), ChildSettings)
    except ValueError as error:
        raise Damaged(f"The environment variable {VARIABLE} holds no orders: {error}") from None
    if not Path(orders.output).is_dir():
        raise Damaged(f"{orders.output}, where the evidence should go, is not a directory.")
    return orders
