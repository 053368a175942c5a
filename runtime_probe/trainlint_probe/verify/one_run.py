"""One run of one version of the user's script, from its start to what it says of itself."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from trainlint.evidence_json import from_json, to_json
from trainlint_probe.changed_files.files import Snapshot, changes, snapshot
from trainlint_probe.changed_files.written_files import about_files
from trainlint_probe.launch import LEAST_ROOM, directories_of, python_of
from trainlint_probe.overlay import NO_OVERLAY, Overlay, overlay_for
from trainlint_probe.processes import signal_name, started
from trainlint_probe.verify.order import Place, RunRequest, result_of
from trainlint_probe.verify.ranks import as_one
from trainlint_probe.verify.result import End, Trial
from trainlint_probe.watch.trackers import silenced


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
    least_s: float = 0.0
    """Where two runs share the machine, short steps are timed for so many seconds at least, and more are taken."""
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


_PAGE = 4096
_MOST_PAGES = 4096
"""16 MB of addresses: what is aligned to the largest common pages (2 MB) moves as well."""


class CannotRun(Exception):
    """The script is not run; the message says why, without a full stop."""


def run_once(request: Request, edits: Mapping[str, bytes], places: Sequence[Place] = ()) -> Trial:
    """One run of the script, with other texts in the place of some files. Never raises for what the script does.

    With `places`, it tells which of them it came by, and its times are worth nothing.
    """
    try:
        with directory() as here:
            run = prepared(here, request, edits, places)
            with run.begun() as process:
                try:
                    status = process.wait(request.timeout)
                except subprocess.TimeoutExpired:
                    status = None
            return run.result(status)
    except (CannotRun, OSError) as error:
        return not_run(error)


@contextmanager
def directory() -> Iterator[Path]:
    """A directory for one run."""
    with tempfile.TemporaryDirectory(prefix="trainlint-", ignore_cleanup_errors=True) as path:
        yield Path(path)


def not_run(error: CannotRun | OSError) -> Trial:
    """What stands in the place of a run that could not be started."""
    why = f"the script could not be started ({error})" if isinstance(error, OSError) else str(error)
    return Trial(End.STOPPED, failure=why)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that can begin."""

    request: Request
    here: Path
    """The directory of this run alone."""
    overlay: Overlay
    files: Snapshot | None
    """The files of the user's before the run; None where an overlay keeps them as they are."""
    pair_seed: int | None = None
    """What is drawn at random for this run, and is the same for all with this number; None leaves it to each process:
    Python's hashes of strings where nobody says them, and where the stack begins."""

    @contextmanager
    def begun(self) -> Iterator[subprocess.Popen[bytes]]:
        """The process, which ends with the block."""
        environment = silenced(os.environ, str(self.here))
        if self.request.seed is not None:
            environment["PYTHONHASHSEED"] = str(self.request.seed % 2**32)
        elif self.pair_seed is not None:
            environment.setdefault("PYTHONHASHSEED", str(self.pair_seed))
        if self.pair_seed is not None:
            environment["TRAINLINT_STACK"] = "." * (self.pair_seed % _PAGE)  # the stack begins below the environment
        words = [*python_of(self.request.processes), "-m", "trainlint_probe.verify.arm", str(self.here / "order.json")]
        with (
            (self.here / "output").open("wb") as output,
            (self.here / "errors").open("wb") as errors,
            started(
                self.overlay.wrapped_command(words),
                grace=0,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
            ) as process,
        ):
            yield process

    def result(self, status: int | None) -> Trial:
        """What came of it, once it has ended with an exit status; None where the time was up."""
        looked_at = directories_of(self.request.script, module=self.request.module)
        changed = self.overlay.changes() if self.files is None else changes(self.files, snapshot(looked_at))
        trial = replace(
            _trial_of_exit(status, self.here, self.request),
            files=about_files(changed, self.overlay),
            overlaid=bool(self.overlay.layers),
        )
        if changed.touched_checkpoints and not self.overlay.layers:
            touched = ", ".join(changed.touched_checkpoints)
            return replace(trial, end=End.STOPPED, failure=f"the script overwrote or removed checkpoints: {touched}")
        return trial


def prepared(
    here: Path,
    request: Request,
    edits: Mapping[str, bytes],
    places: Sequence[Place] = (),
    *,
    more_steps: int = 0,
    pair_seed: int | None = None,
) -> Prepared:
    """Write down what is to be run. With `pair_seed` it takes turns with another run that has the same.

    Raises CannotRun where an overlay is asked for, and there is none.
    """
    looked_at = directories_of(request.script, module=request.module)
    overlay = NO_OVERLAY if request.overlay is False else overlay_for(looked_at, here)
    if request.overlay and not overlay.layers:
        raise CannotRun(f"there can be no overlay, so the script was not run: {overlay.obstacle}")
    texts = {}
    for number, (path, text) in enumerate(edits.items()):
        texts[path] = str(here / f"edited{number}.py")
        Path(texts[path]).write_bytes(text)
    order = RunRequest(
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
        more_steps=more_steps,
        takes_turns=pair_seed is not None,
        pages_aside=0 if pair_seed is None else pair_seed % _MOST_PAGES,
    )
    (here / "order.json").write_text(json.dumps(to_json(order)), encoding="utf-8")
    return Prepared(request, here, overlay, None if overlay.layers else snapshot(looked_at), pair_seed)


def _trial_of_exit(status: int | None, here: Path, request: Request) -> Trial:
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


def _silent_end(status: int, here: Path) -> str:
    """How a run ended that left no word: by a signal, a crash, or `os._exit`."""
    how = f"it was ended by {signal_name(-status)}" if status < 0 else f"it ended at once with exit code {status}"
    said = (here / "errors").read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return f"{how}; its last words were: {said[-1]}" if said else how
