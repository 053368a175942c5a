"""Starts the user's script in a process that is watched, waits for its evidence, and leaves nothing behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path

from trainlint.cli.at_terminal.progress import is_shown
from trainlint.cli.console import UsageError
from trainlint.evidence.run import Run
from trainlint_probe.changed_files.files import Changes, changes, snapshot
from trainlint_probe.child_settings import (
    SIMULATED_STEPS,
    SIMULATED_WARMUP,
    START_TIMEOUT,
    TIMED_OUT,
    ChildSettings,
    as_environment,
)
from trainlint_probe.compared import edited
from trainlint_probe.options import RunOptions
from trainlint_probe.overlay import NO_OVERLAY, Overlay, overlay_for
from trainlint_probe.processes import GRACE, signal_name, started
from trainlint_probe.recorder import FAILURE, has_ended
from trainlint_probe.report.progress import Progress
from trainlint_probe.storage import read_run
from trainlint_probe.watch.trackers import silenced

_POLL = 0.1
_MARGIN = 60.0
"""Seconds beyond its own time limits after which a process that does not end is ended from outside."""
LEAST_ROOM = 1_000_000
"""Bytes that evidence may take."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to run, and how long."""

    script: str
    """A path, or with `module` the name of a module."""
    arguments: tuple[str, ...] = ()
    module: bool = False
    processes: int = 1
    """On this machine, by torch's own launcher; 1 starts the script as it is."""
    child_settings: ChildSettings = field(default_factory=lambda: ChildSettings(output=""))
    """How long to watch. Where the evidence goes is filled in."""
    edits: Mapping[str, bytes] = field(default_factory=dict)
    """By the real path of a file of the user's: the text that takes its place."""
    also_kept: tuple[Path, ...] = ()
    """Directories that the script may write to, besides its own, and that stay as they are under an overlay."""
    overlay: bool | None = False
    """Whether the script runs on an overlay, so that no file of the user's changes: True does so or does not run,
    None does so where the machine allows it."""


@dataclass(frozen=True, slots=True)
class Launched:
    """What came of it."""

    runs: tuple[Run, ...]
    """The evidence of each rank, in their order."""
    traces: tuple[Path, ...]
    """Traces of the deeper look, in the order of ranks."""
    changed: Changes
    """What the run did to files below the working directory and the script's, or would have done but for an overlay."""
    exit_code: int
    """Of the process that was started; negative where a signal ended it."""
    fault: str = ""
    """Why there is no evidence, in a sentence; empty where there is some."""
    overlay: Overlay = NO_OVERLAY
    """What kept the script from the user's files."""


def about_python(failure: str) -> str:
    """Which Python a script ran with, where it failed because that one could not import something; else empty."""
    if not failure.startswith(ModuleNotFoundError.__name__):
        return ""
    return (
        f"The script ran with {sys.executable}. Install trainlint in the environment that has what the script imports, "
        "and run it there."
    )


def request_of(options: RunOptions, script: str) -> Request:
    """The run of a script that the user asked for. Raises UsageError where scripts cannot be run, or there is none."""
    if sys.platform == "win32":
        raise UsageError("scripts are run on Linux and macOS alone; `trainlint probe --trace` judges what was recorded")
    if not options.module and not Path(script).is_file():
        raise UsageError(f"there is no script {script}")
    simulated = options.device.startswith("simulated")
    if options.processes > 1 and not simulated and find_spec("torch") is None:
        raise UsageError(
            f"--nproc-per-node needs torch's launcher, and {sys.executable} has no torch; install trainlint in the "
            "environment of your training, and run it there"
        )
    return Request(
        script=script,
        arguments=options.arguments,
        module=options.module,
        processes=1 if simulated else options.processes,
        child_settings=ChildSettings(
            output="",
            warmup=options.warmup or 10,
            steps=options.steps or 30,
            simulated_warmup=options.warmup or SIMULATED_WARMUP,
            simulated_steps=options.steps or SIMULATED_STEPS,
            device=options.device if options.device not in ("cpu", "cuda") else "real",
            simulated_ranks=options.processes if simulated else 1,
            hides_devices=options.device == "cpu",
            timeout=options.timeout,
            start_timeout=min(options.timeout, START_TIMEOUT),
        ),
        overlay=options.overlay,
    )


def launch(request: Request, output: Path) -> Launched:
    """Run a script under watch. `output` is an existing empty directory: evidence, traces and redirected files go
    there, and the caller removes it.
    """
    places = (*directories_of(request.script, module=request.module), *request.also_kept)
    overlay = NO_OVERLAY if request.overlay is False else overlay_for(places, output)
    if request.overlay and not overlay.layers:
        fault = f"There can be no overlay, and so the script was not run: {overlay.obstacle}."
        return Launched((), (), Changes(), 0, fault)
    orders = _child_settings(request, output, overlay)
    before = None if overlay.layers else snapshot(places)
    try:
        with started(
            overlay.wrapped_command(_command(request)),
            env=silenced({**os.environ, **_environment(orders), **as_environment(orders)}, str(output)),
            stdout=sys.stderr,  # stdout is the report's
        ) as process:
            _wait(process, output, orders)
    finally:
        changed = overlay.changes() if before is None else changes(before, snapshot(places))
    exit_code = -signal.SIGKILL if process.returncode is None else process.returncode
    return _gather(exit_code, output, changed, overlay)


def _child_settings(request: Request, output: Path, overlay: Overlay) -> ChildSettings:
    return replace(
        request.child_settings,
        output=str(output.resolve()),
        notes_progress=is_shown(),
        edits=edited.write(request.edits, output.resolve()),
        parent=os.getpid(),
        directory=str(Path.cwd()),
        overlaid=overlay.directories,
    )


def _environment(orders: ChildSettings) -> dict[str, str]:
    """What keeps PyTorch from finding a GPU where the user wants the CPU, the seed of Python's hashes, and what torch's
    launcher would tell the first of several ranks where these are simulated.
    """
    found = {"CUDA_VISIBLE_DEVICES": "", "HIP_VISIBLE_DEVICES": ""} if orders.hides_devices else {}
    if orders.seed is not None:
        found["PYTHONHASHSEED"] = str(orders.seed % 2**32)
    if orders.moved and "PYTHONPATH" in os.environ:
        entries = os.environ["PYTHONPATH"].split(os.pathsep)
        found["PYTHONPATH"] = os.pathsep.join(edited.below(entry, *orders.moved) for entry in entries)
    if orders.simulated_ranks > 1:
        ranks = str(orders.simulated_ranks)
        found |= {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": ranks, "LOCAL_WORLD_SIZE": ranks}
        found |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}
    return found


def _command(request: Request) -> list[str]:
    child = ["trainlint_probe.child", *(["--module"] if request.module else []), request.script, *request.arguments]
    return [*python_of(request.processes), "-m", *child]


def python_of(processes: int) -> list[str]:
    """The words that start a Python: one process, or as many as train together, by torch's own launcher."""
    if processes == 1:
        return [sys.executable]
    return [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]


def directories_of(name: str, *, module: bool) -> tuple[Path, ...]:
    """Where the files of a script, or of a module, are likely to be."""
    script = Path.cwd() if module else Path(name).absolute().parent
    return tuple(dict.fromkeys((Path.cwd(), script)))


def _wait(process: subprocess.Popen[bytes], output: Path, orders: ChildSettings) -> None:
    """Wait until the process has ended, or enough was seen and it goes on all the same, or its time is up."""
    limit = time.monotonic() + orders.start_timeout + orders.timeout + _MARGIN
    seen_at: float | None = None
    progress = Progress(output)
    while process.poll() is None and time.monotonic() < limit:
        time.sleep(_POLL)
        if orders.notes_progress:
            progress.tell()
        if seen_at is None and has_ended(output):
            seen_at = time.monotonic()
        if seen_at is not None and time.monotonic() > seen_at + GRACE:
            return


def _gather(exit_code: int, output: Path, changed: Changes, overlay: Overlay) -> Launched:
    runs = sorted((read_run(path) for path in output.glob("evidence.rank*.json")), key=lambda run: run.rank)
    if changed.touched_checkpoints and not overlay.layers:
        runs = [replace(run, outcome="safety stop") for run in runs]
    return Launched(
        runs=tuple(runs),
        traces=tuple(sorted(output.glob("trace.rank*.json.gz"), key=_rank)),
        changed=changed,
        exit_code=exit_code,
        fault="" if runs else _failure_reason(exit_code, output),
        overlay=overlay,
    )


def _rank(trace: Path) -> int:
    return int(trace.name.split(".")[1].removeprefix("rank"))


def _failure_reason(exit_code: int, output: Path) -> str:
    """Why a process left no evidence."""
    failure = output / FAILURE
    if failure.exists():
        return f"The probe itself failed; please report this:\n{failure.read_text(encoding='utf-8')}"
    if shutil.disk_usage(output).free < LEAST_ROOM:
        return f"{output.parent} is full, and evidence and saved files go there: set TMPDIR to a directory with room."
    if exit_code < 0:
        name = signal_name(-exit_code)
        hint = ": the machine may have run out of memory" if name == "SIGKILL" else ""
        return f"The process was ended by {name}{hint}, so there is no evidence."
    if exit_code == TIMED_OUT:
        return "The time was up, and the process could not say what it had seen."
    return (
        f"The process ended with code {exit_code} and left no evidence. If it printed no reason, another "
        "program replaced it, or it called os._exit."
    )
