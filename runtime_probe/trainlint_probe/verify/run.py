"""Runs the user's script with and without fixes, in turn, and says what came of it.

Without, with, with, without, and so on: both versions see the same machine, whatever else it does meanwhile, and
neither always comes first. Each run is a process of its own, or as many as train together. A first run without any fix
is a rehearsal: it warms the caches of files and compilers, and shows at once whether the script runs at all, how long
that takes, and which of the findings it comes by.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trainlint.evidence_json import from_json, to_json
from trainlint_probe.changed_files.files import changes, snapshot
from trainlint_probe.changed_files.left import about_files
from trainlint_probe.launch import LEAST_ROOM, directories_of, python_of
from trainlint_probe.overlay import NO_OVERLAY, overlay_for
from trainlint_probe.processes import signal_name, started
from trainlint_probe.verify.fixes import ALL, Proposal, proposals
from trainlint_probe.verify.judge import FEWEST_PAIRS, cannot_be_tried, judged
from trainlint_probe.verify.order import Order, Place, result_of
from trainlint_probe.verify.ranks import as_one
from trainlint_probe.verify.result import End, Outcome, Trial, Verification
from trainlint_probe.watch.trackers import silenced

Tell = Callable[[str], None]
"""Is told what happens meanwhile, in short sentences."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to run, and for how long."""

    script: str
    """A path, or with `module` the name of a module."""
    arguments: tuple[str, ...] = ()
    module: bool = False
    warmup: int = 5
    """Steps before those that are timed, in each run."""
    steps: int = 30
    pairs: int = 6
    """How often each version runs; at least 2. Machines in use need more."""
    timeout: float = 600.0
    """Seconds that one run may take."""
    seed: int | None = None
    """What random numbers start from where the script seeds none; None changes nothing. A script that draws numbers
    which it does not seed differs from itself, and the comparison says so."""
    processes: int = 1
    """How many train together on this machine, started by torch's own launcher; 1 starts the script as it is."""
    overlay: bool | None = None
    """Whether each run has an overlay of its own; True does so or does not run, None does so where it is allowed."""


def verify(
    words: Sequence[str],
    paths: Sequence[Path],
    request: Request,
    tell: Tell = lambda sentence: None,
    *,
    first: Sequence[str] = (),
) -> tuple[Verification, ...]:
    """Try the fixes of each rule that the user named, or of `all`, on the files that these rules are asked about.

    Rules whose codes are in `first` are tried in that order, before the others: who ends the trials early has seen
    what matters most.

    Raises UsageError where a rule is not known or the configuration is wrong.
    """
    found: dict[str, Proposal] = {}
    without: list[Verification] = []
    for word in words:
        of_word = proposals(word, paths)
        found |= {proposal.code: proposal for proposal in of_word}
        without += [] if of_word else [_nothing_to_try(word)]
    order = {code: place for place, code in enumerate(first)}
    ordered = sorted(found.values(), key=lambda proposal: order.get(proposal.code, len(order)))
    return (*without, *try_all(ordered, request, tell))


def _nothing_to_try(word: str) -> Verification:
    of_rule = "" if word == ALL else f" of {word}"
    return Verification(word, "", Outcome.INCONCLUSIVE, f"no finding{of_rule} has a fix, so there is nothing to try")


def try_all(
    tried: Sequence[Proposal], request: Request, tell: Tell = lambda sentence: None
) -> tuple[Verification, ...]:
    """Run the script with and without the fixes of each rule, and compare. Interrupted, what is known is returned.

    Raises:
        ValueError: fewer than two pairs of runs are asked for.
    """
    if request.pairs < FEWEST_PAIRS:
        raise ValueError(f"{request.pairs} pair of runs does not tell how much runs differ; ask for two at least")
    if not tried:
        return ()
    rules = ", ".join(proposal.code for proposal in tried)
    runs, steps = 1 + 2 * request.pairs * len(tried), request.warmup + request.steps
    tell(f"Trying the fixes of {rules}: {runs} runs of the script at most, of {steps} steps each. First a rehearsal.")
    done: list[Verification] = []
    try:
        rehearsal = _rehearsed(tried, request, tell)
        for proposal in tried:
            done.append(_tried(proposal, request, tell, rehearsal))  # noqa: PERF401 - what is done outlives an interrupt
    except KeyboardInterrupt:
        left = ", ".join(proposal.code for proposal in tried[len(done) :])
        tell(f"Interrupted: what is known is told, and nothing of {left}.")
    return tuple(done)


def _rehearsed(tried: Sequence[Proposal], request: Request, tell: Tell) -> Trial:
    """A first run without any fix; tells how long the others will take."""
    began = time.monotonic()
    rehearsal = run_once(request, {}, tuple(dict.fromkeys(place for proposal in tried for place in proposal.places)))
    took = time.monotonic() - began
    runs = 2 * request.pairs * sum(not cannot_be_tried(proposal, rehearsal) for proposal in tried)
    if runs:
        tell(f"The rehearsal took {took:.0f} s, so the other {runs} runs take about {_minutes(runs * took)}.")
    return rehearsal


def _tried(proposal: Proposal, request: Request, tell: Tell, rehearsal: Trial) -> Verification:
    edits = {edit.path: edit.text for edit in proposal.edits}
    runs: dict[bool, list[Trial]] = {False: [rehearsal], True: []}
    order = [] if cannot_be_tried(proposal, rehearsal) else alternating(request.pairs)
    for number, fixed in enumerate(order, 1):
        tell(f"{proposal.code}: run {number} of {len(order)}, {'with' if fixed else 'without'} the fix")
        trial = run_once(request, edits if fixed else {})
        runs[fixed].append(trial)
        if not trial.step_ms or (fixed and not trial.loaded):
            break  # more of the same would tell no more
    return judged(proposal, runs[False], runs[True])


def alternating(pairs: int) -> list[bool]:
    """Which of the runs after the rehearsal have the fix: without, with, with, without ..."""
    turns = ((False, True) if pair % 2 == 0 else (True, False) for pair in range(pairs))
    return [fixed for turn in turns for fixed in turn]


def run_once(request: Request, edits: Mapping[str, bytes], places: Sequence[Place] = ()) -> Trial:
    """One run of the script, with other texts in the place of some files. Never raises for what the script does.

    With `places`, it tells which of them it came by, and its times are worth nothing.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="trainlint-", ignore_cleanup_errors=True) as directory:
            return _run_in(Path(directory), request, edits, places)
    except OSError as error:
        return Trial(End.STOPPED, failure=f"the script could not be started ({error})")


def _run_in(here: Path, request: Request, edits: Mapping[str, bytes], places: Sequence[Place]) -> Trial:
    looked_at = directories_of(request.script, module=request.module)
    overlay = NO_OVERLAY if request.overlay is False else overlay_for(looked_at, here)
    if request.overlay and not overlay.layers:
        return Trial(End.STOPPED, failure=f"there can be no overlay, so the script was not run: {overlay.obstacle}")
    texts = {}
    for number, (path, text) in enumerate(edits.items()):
        texts[path] = str(here / f"edited{number}.py")
        Path(texts[path]).write_bytes(text)
    order = Order(
        request.script,
        str(here),
        request.arguments,
        request.module,
        request.warmup,
        request.steps,
        texts,
        request.seed,
        places=tuple(places),
        processes=request.processes,
        parent=os.getpid(),
        overlaid=overlay.directories,
    )
    (here / "order.json").write_text(json.dumps(to_json(order)), encoding="utf-8")
    before = None if overlay.layers else snapshot(looked_at)
    status = _run_to_its_end(overlay.around(_command(request, here)), here, request)
    changed = overlay.changes() if before is None else changes(before, snapshot(looked_at))
    trial = replace(_result(status, here, request), files=about_files(changed, overlay))
    if changed.touched_checkpoints and not overlay.layers:
        touched = ", ".join(changed.touched_checkpoints)
        return replace(trial, end=End.STOPPED, failure=f"the script overwrote or removed checkpoints: {touched}")
    return trial


def _command(request: Request, here: Path) -> list[str]:
    return [*python_of(request.processes), "-m", "trainlint_probe.verify.arm", str(here / "order.json")]


def _run_to_its_end(command: Sequence[str], here: Path, request: Request) -> int | None:
    """The exit status of a run; None where the time was up."""
    environment = silenced(os.environ, str(here))
    if request.seed is not None:
        environment["PYTHONHASHSEED"] = str(request.seed % 2**32)
    with (
        (here / "output").open("wb") as output,
        (here / "errors").open("wb") as errors,
        started(command, grace=0, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=errors) as process,
    ):
        try:
            return process.wait(request.timeout)
        except subprocess.TimeoutExpired:
            return None


def _result(status: int | None, here: Path, request: Request) -> Trial:
    """What the processes of a run have seen."""
    files = sorted(here.glob(result_of("*")), key=lambda path: int(path.stem.removeprefix("trial.rank")))
    ranks = {path: from_json(json.loads(path.read_text(encoding="utf-8")), Trial) for path in files}
    failed = [path for path in files if ranks[path].end in (End.FAILED, End.STOPPED)]
    if failed:  # the others fail when one is gone, so the first says why
        return ranks[min(failed, key=lambda path: path.stat().st_mtime_ns)]
    if files and len(files) == max(request.processes, *(trial.ranks for trial in ranks.values())):
        return as_one(list(ranks.values()))
    if shutil.disk_usage(here).free < LEAST_ROOM:
        return Trial(
            End.STOPPED, failure=f"there was no room left in {here.parent}; set TMPDIR to a directory with some"
        )
    if status is None:
        steps = request.warmup + request.steps
        return Trial(End.TIMED_OUT, failure=f"the script had not done {steps} steps after {request.timeout:g} s")
    return Trial(End.FAILED, failure=_silent_end(status, here))


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} minutes"


def _silent_end(status: int, here: Path) -> str:
    """How a run ended that left no word: by a signal, a crash, or `os._exit`."""
    how = f"it was ended by {signal_name(-status)}" if status < 0 else f"it ended at once with exit code {status}"
    said = (here / "errors").read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return f"{how}; its last words were: {said[-1]}" if said else how
