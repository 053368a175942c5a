"""Runs the user's script with and without fixes, in turn, and says what came of it.

Without, with, with, without, and so on: both versions see the same machine, whatever else it does meanwhile, and
neither always comes first. Each run is a process of its own. A first run without the fix is a rehearsal: it warms the
caches of files and compilers, and shows at once whether the script runs at all.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from trainlint.records import dataclass
from trainlint_probe.storage import from_json, to_json
from trainlint_probe.verify.fixes import ALL, Proposal, proposals
from trainlint_probe.verify.judge import FEWEST_PAIRS, judged
from trainlint_probe.verify.order import RESULT, Order
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
    pairs: int = 5
    """How often each version runs; at least 2. Machines in use need more."""
    timeout: float = 600.0
    """Seconds that one run may take."""
    seed: int | None = None
    """What random numbers start from where the script seeds none; None changes nothing. A script that draws numbers
    which it does not seed differs from itself, and the comparison says so."""


def verify(
    words: Sequence[str], paths: Sequence[Path], request: Request, tell: Tell = lambda sentence: None
) -> tuple[Verification, ...]:
    """Try the fixes of each rule that the user named, or of `all`, on the files that these rules are asked about.

    Raises UsageError where a rule is not known or the configuration is wrong.
    """
    found: dict[str, Proposal | Verification] = {}
    for word in words:
        of_word = proposals(word, paths)
        found |= {proposal.code: proposal for proposal in of_word}
        if not of_word:
            found[word] = _nothing_to_try(word)
    return tuple(
        [item if isinstance(item, Verification) else try_fixes(item, request, tell) for item in found.values()]
    )


def _nothing_to_try(word: str) -> Verification:
    of_rule = "" if word == ALL else f" of {word}"
    return Verification(word, "", Outcome.INCONCLUSIVE, f"no finding{of_rule} has a fix, so there is nothing to try")


def try_fixes(proposal: Proposal, request: Request, tell: Tell = lambda sentence: None) -> Verification:
    """Run the script with and without some fixes, and compare.

    Raises:
        ValueError: fewer than two pairs of runs are asked for.
    """
    if request.pairs < FEWEST_PAIRS:
        raise ValueError(f"{request.pairs} pair of runs does not tell how much runs differ; ask for two at least")
    edits = {edit.path: edit.text for edit in proposal.edits}
    runs: dict[bool, list[Trial]] = {False: [], True: []}
    order = alternating(request.pairs)
    for number, fixed in enumerate(order, 1):
        tell(f"{proposal.code}: run {number} of {len(order)}, {'with' if fixed else 'without'} the fix")
        trial = run_once(request, edits if fixed else {})
        runs[fixed].append(trial)
        if not trial.step_ms or (fixed and not trial.loaded):
            break  # more of the same would tell no more
    return judged(proposal, runs[False], runs[True])


def alternating(pairs: int) -> list[bool]:
    """Which of the runs have the fix: a rehearsal without, then without, with, with, without ..."""
    turns = ((False, True) if pair % 2 == 0 else (True, False) for pair in range(pairs))
    return [False, *(fixed for turn in turns for fixed in turn)]


def run_once(request: Request, edits: Mapping[str, bytes]) -> Trial:
    """One run of the script, with other texts in the place of some files. Never raises for what the script does."""
    with tempfile.TemporaryDirectory(prefix="trainlint-", ignore_cleanup_errors=True) as directory:
        here = Path(directory)
        texts = {}
        for number, (path, text) in enumerate(edits.items()):
            texts[path] = str(here / f"edited{number}.py")
            Path(texts[path]).write_bytes(text)
        order = Order(
            request.script,
            directory,
            request.arguments,
            request.module,
            request.warmup,
            request.steps,
            texts,
            request.seed,
        )
        (here / "order.json").write_text(json.dumps(to_json(order)), encoding="utf-8")
        status = _run_to_its_end(here, request)
        if status is None:
            steps = request.warmup + request.steps
            return Trial(End.TIMED_OUT, failure=f"the script had not done {steps} steps after {request.timeout:g} s")
        try:
            return from_json(json.loads((here / RESULT).read_text(encoding="utf-8")), Trial)
        except FileNotFoundError:
            return Trial(End.FAILED, failure=_silent_end(status, here))


def _run_to_its_end(here: Path, request: Request) -> int | None:
    """The exit status of a run; None where the time was up."""
    environment = silenced(os.environ, str(here))
    if request.seed is not None:
        environment["PYTHONHASHSEED"] = str(request.seed % 2**32)
    command = [sys.executable, "-m", "trainlint_probe.verify.arm", str(here / "order.json")]
    with (here / "output").open("wb") as output, (here / "errors").open("wb") as errors:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,  # so that its workers can be ended with it
        )
        try:
            return process.wait(request.timeout)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end_all(process)


def _end_all(process: subprocess.Popen[bytes]) -> None:
    """End a run and what it started, also where the user interrupts us."""
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _silent_end(status: int, here: Path) -> str:
    """How a run ended that left no word: by a signal, a crash, or `os._exit`."""
    how = f"it was ended by {_signal_name(-status)}" if status < 0 else f"it ended at once with exit code {status}"
    said = (here / "errors").read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return f"{how}; its last words were: {said[-1]}" if said else how


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
