"""`python -m benchmarks.verify_trials --page docs/probe.md`: is `--verify` right about real runs? On a processor.

Each script does twenty equal pieces of work in a step. A trial lets `--verify` compare it with a version of the same
speed (nothing is to be gained), or with one that does 18 pieces (a tenth is). What is said of each is counted, and how
busy the machine was is said with it.

A trial takes a minute, and there are eighty. `--keep FILE` writes down each when it is done; a run with the same
file goes on from there, and `--kind` takes the trials of one kind alone, as on a machine in another state.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from benchmarks.markers import between_markers
from trainlint.finding import Safety
from trainlint_probe.verify.fixes import Edit, Proposal
from trainlint_probe.verify.one_run import Request
from trainlint_probe.verify.result import Outcome
from trainlint_probe.verify.run import LEAST_S, try_all

SCRIPTS = Path(__file__).parent / "scripts"
PIECES = "PIECES = 20"
KINDS = {"no gain": "PIECES = 10 + 10", "a tenth": "PIECES = 18"}
"""What stands in the second version in the place of `PIECES`."""
MARKER = "verify-trials"
_STEPS = 40


@dataclass(frozen=True, slots=True)
class Tried:
    """One trial: a script, what its second version gains, and what was said."""

    script: str
    kind: str
    outcome: str
    """The value of an `Outcome`."""
    gain: float | None
    """The measured share of a step; None where the runs could not be compared."""
    load: float
    """The mean number of processes that wanted a core in the minute before the trial's end."""


def tried(script: str, kind: str, pairs: int) -> Tried:
    """Let the rule of `--verify` judge real runs of both versions."""
    path = SCRIPTS / f"{script}.py"
    text = path.read_text(encoding="utf-8")
    assert text.count(PIECES) == 1, f"{path} has its pieces in one place"
    edit = Edit(os.path.realpath(path), path.name, text.replace(PIECES, KINDS[kind]).encode())
    proposal = Proposal("TRN000", "pieces", Safety.SAFE, 1, (edit,))
    (found,) = try_all([proposal], Request(str(path), steps=_STEPS, least_s=LEAST_S, pairs=pairs))
    gain = 1 - found.speed.value if found.speed is not None else None
    return Tried(script, kind, found.outcome.value, gain, os.getloadavg()[0])


def table(trials: Sequence[Tried]) -> Iterator[str]:
    """Lines of Markdown: a row for each script and kind, and what they come to."""
    yield "| true gain | script | trials | verified | no gain | inconclusive | other | measured gain, mean | load |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
    for kind in KINDS:
        of_kind = [trial for trial in trials if trial.kind == kind]
        for script in dict.fromkeys(trial.script for trial in of_kind):
            yield _row(kind, script, [trial for trial in of_kind if trial.script == script])
        if of_kind:
            yield _row(kind, "together", of_kind)


def _row(kind: str, script: str, trials: Sequence[Tried]) -> str:
    said = Counter(trial.outcome for trial in trials)
    known = (Outcome.VERIFIED, Outcome.NO_GAIN, Outcome.INCONCLUSIVE)
    counts = [said[outcome.value] for outcome in known]
    gains = [trial.gain for trial in trials if trial.gain is not None]
    mean = f"{fmean(gains):.1%}" if gains else "-"
    loads = [trial.load for trial in trials]
    cells = (
        kind,
        script,
        len(trials),
        *counts,
        len(trials) - sum(counts),
        mean,
        f"{min(loads):.1f} to {max(loads):.1f}",
    )
    return f"| {' | '.join(map(str, cells))} |"


def _kept(file: Path | None) -> list[Tried]:
    if file is None or not file.exists():
        return []
    return [Tried(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def main() -> int:
    """Try, print the table, and write it to the page where one is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", action="append", choices=list(KINDS))
    parser.add_argument("--trials", type=int, default=10, help="of each script and kind (default: 10)")
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--keep", type=Path, metavar="FILE")
    parser.add_argument("--page", type=Path)
    typed = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"  # more would wait for each other where another program has a core
    trials = _kept(typed.keep)
    for number in range(typed.trials):
        for kind in typed.kind or KINDS:
            for script in sorted(path.stem for path in SCRIPTS.glob("*.py")):
                if sum((trial.script, trial.kind) == (script, kind) for trial in trials) > number:
                    continue
                trials.append(tried(script, kind, typed.pairs))
                sys.stderr.write(f"{trials[-1]}\n")
                if typed.keep is not None:
                    with typed.keep.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(asdict(trials[-1])) + "\n")
    text = "\n".join(table(trials))
    sys.stdout.write(f"{text}\n")
    if typed.page is not None:
        page = typed.page.read_text(encoding="utf-8")
        typed.page.write_text(between_markers(page, MARKER, text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
