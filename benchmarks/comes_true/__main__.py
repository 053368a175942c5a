"""`python -m benchmarks.comes_true --page docs/probe.md`: does what the probe predicts come true? On a processor.

Each script has defects that its first word plants. The probe runs it with the defect and predicts what a step would
gain without; then both are run, with the defect and without, one after the other. The table says whether the
measured gain lies in the predicted interval, and how busy the machine was: on one that is in use, the measured
intervals are wide and say little. Both are shares of a step: minutes later a machine may be a tenth faster or slower,
in all that it does. Each script is also run under the probe without any defect: no verdict may promise more than 2% of
a step then.

`--only vision --only language` takes these scripts alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from statistics import fmean

from benchmarks.markers import between_markers
from benchmarks.ratio import Estimate, Pair, ratio_of_means
from benchmarks.timed_runs import NotMeasured, alternating, step_times
from trainlint.evidence.interval import Interval

SCRIPTS = Path(__file__).parent / "scripts"
PLANTED: Mapping[str, Mapping[str, tuple[str, Sequence[str]]]] = {
    "vision": {
        "disk": ("disk-fixed", ("TRN101", "TRNP101")),
        "computed": ("computed-fixed", ("TRN101", "TRNP101")),
        "collects": ("none", ("TRN302", "TRNP306")),
    },
    "language": {"copies": ("none", ("TRNP306",)), "anomalies": ("none", ("TRNP405",))},
    "reinforcement": {"saves": ("none", ("TRN313", "TRNP306")), "zeros": ("none", ("TRN306",))},
    "adversarial": {"collects": ("none", ("TRN302", "TRNP306")), "records": ("none", ("TRN303",))},
    "graph": {"copies": ("none", ("TRNP306",)), "one-by-one": ("none", ("TRN601",))},
    "with_lightning": {"collects": ("none", ("TRN302", "TRNP306")), "anomalies": ("none", ("TRNP405",))},
    "with_accelerate": {"saves": ("none", ("TRN313", "TRNP306")), "disk": ("disk-fixed", ("TRN101", "TRNP101"))},
    "table": {"in-memory": ("in-memory-fixed", ("TRN101", "TRNP101")), "collects": ("none", ("TRN302", "TRNP306"))},
}
"""Script → defect → the word that runs it without, and the codes that may price it, the first that does."""
_CLEAN = 0.02
"""The share of a step above which a verdict on a script without defects is wrong."""
_MEASURED_MS = 4000.0
"""How long a run should be measured at least."""
_MOST_STEPS = 1000
_MARKER = "comes-true"
_PATIENCE_S = 300.0


@dataclass(frozen=True, slots=True)
class Row:
    """One defect: what was predicted, and what came of it."""

    script: str
    defect: str
    code: str
    """Of the verdict; empty where there was none."""
    state: str
    predicted: Interval | None
    """The share of a step; None where the verdict has no price."""
    before_ms: float
    speed: Estimate
    """The time of a step without the defect, as a multiple of that with it."""

    @property
    def gain(self) -> float:
        """The share of a step."""
        return 1 - self.speed.value

    @property
    def came_true(self) -> bool | None:
        """Whether the measured gain lies in the predicted interval; None where nothing was predicted."""
        return None if self.predicted is None else self.predicted.low <= self.gain <= self.predicted.high

    @property
    def misled(self) -> bool:
        """Whether a confirmed defect makes the steps faster than they are without it."""
        return self.state == "confirmed" and self.speed.low > 1


def measured(script: str, defect: str, *, pairs: int, steps: int) -> Row:
    """Predict what a defect costs, and compare. Raises NotMeasured."""
    without, codes = PLANTED[script][defect]
    words = {False: defect, True: without}
    code, state, predicted = prediction(_probed(script, defect, steps), codes)
    enough = {fixed: _enough(fmean(_times(script, word, steps)), steps) for fixed, word in words.items()}
    runs: dict[bool, list[tuple[float, ...]]] = {False: [], True: []}
    for fixed in alternating(pairs):
        runs[fixed].append(_times(script, words[fixed], enough[fixed]))
    compared = [Pair(before, after) for before, after in zip(runs[False], runs[True], strict=True)]
    before = [ms for pair in compared for ms in pair.before]
    return Row(script, defect, code, state, predicted, sum(before) / len(before), ratio_of_means(compared))


def prediction(document: Mapping[str, object], codes: Sequence[str]) -> tuple[str, str, Interval | None]:
    """The code, the state and the price, as a share of a step, of the first verdict with one of some codes; one with a
    price goes before.
    """
    verdicts = document["verdicts"]
    assert isinstance(verdicts, list), "the probe's own document"
    found = [item for code in codes for item in verdicts if item["code"] == code]
    found.sort(key=lambda item: item["cost"] is None)
    if not found:
        return "", "", None
    cost = found[0]["cost"]
    if cost is None:
        return found[0]["code"], found[0]["state"], None
    step = _step_ms(document)
    share = Interval(cost["low"] / step, cost["high"] / step)
    return found[0]["code"], found[0]["state"], share


def _step_ms(document: Mapping[str, object]) -> float:
    runs = document["runs"]
    assert isinstance(runs, list), "the probe's own document"
    return fmean(step["ms"] for step in runs[0]["steps"])


def promised(document: Mapping[str, object]) -> list[str]:
    """What the probe confirms of a script without defects, and should not: verdicts above 2% of a step."""
    verdicts = document["verdicts"]
    assert isinstance(verdicts, list), "the probe's own document"
    return [
        f"{item['code']} at {item['at']['path']}:{item['at']['line']}"
        for item in verdicts
        if item["state"] == "confirmed" and item["share"] is not None and item["share"]["low"] > _CLEAN
    ]


def report(rows: Sequence[Row], clean: Mapping[str, Sequence[str]], failures: Sequence[str], how: str) -> str:
    """The table, as Markdown, and what it comes to."""
    lines = [
        f"On {os.cpu_count()} cores, one of them for PyTorch; {how}. A step in milliseconds, gains as shares of it; "
        "the measured gain with its 98% interval.",
        "",
        "| script | defect | verdict | step | predicted | measured | came true |",
        "| --- | --- | --- | ---: | ---: | ---: | --- |",
    ]
    lines += map(_line, rows)
    priced = [row for row in rows if row.came_true is not None]
    said = f"{sum(bool(row.came_true) for row in priced)} of {len(priced)} predictions came true; "
    said += f"{sum(row.misled for row in rows)} confirmed defects made steps faster."
    wrong = [f"{script}: {', '.join(found)}" for script, found in clean.items() if found]
    lines += ["", said, f"Without defects, {len(clean) - len(wrong)} of {len(clean)} scripts were promised nothing."]
    return "\n".join([*lines, *(f"- {line}" for line in (*wrong, *failures))])


def _enough(step_ms: float, steps: int) -> int:
    """So many steps that a run is measured for seconds: what else happens on a machine comes and goes."""
    return max(steps, min(ceil(_MEASURED_MS / step_ms), _MOST_STEPS))


def _line(row: Row) -> str:
    predicted = f"{row.predicted.low:.1%} to {row.predicted.high:.1%}" if row.predicted else "no price"
    low, high = 1 - row.speed.high, 1 - row.speed.low
    truth = {True: "yes", False: "no", None: "-"}[row.came_true]
    return (
        f"| {row.script} | {row.defect} | {row.code or 'none'} {row.state} | {row.before_ms:.3g} | {predicted} | "
        f"{row.gain:.1%} ({low:.1%} to {high:.1%}) | {truth} |"
    )


def _times(script: str, planted: str, steps: int) -> tuple[float, ...]:
    return step_times(SCRIPTS / f"{script}.py", (planted,), warmup=10, steps=steps, timeout=_PATIENCE_S)


def _probed(script: str, planted: str, steps: int) -> dict[str, object]:
    """The probe's document on a script."""
    with tempfile.TemporaryDirectory() as directory:
        kept = Path(directory) / "report.json"
        words = ["-m", "trainlint", "probe", "--device", "cpu", "--steps", str(steps)]
        words += ["--output-format", "json", "-o", str(kept)]
        command = [sys.executable, *words, str(SCRIPTS / f"{script}.py"), planted]
        try:
            ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_PATIENCE_S)
        except subprocess.TimeoutExpired as late:
            raise NotMeasured(f"{script} {planted}: the probe took longer than {_PATIENCE_S:.0f} s") from late
        if not kept.exists():
            last = ran.stderr.strip().rpartition("\n")[2] or "it said nothing"
            raise NotMeasured(f"{script} {planted}: the probe ended with code {ran.returncode}: {last}")
        document: dict[str, object] = json.loads(kept.read_text(encoding="utf-8"))
        return document


def main() -> int:
    """Measure, print the table, and write it to the page where one is named. 1 where something was not measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=sorted(PLANTED), metavar="SCRIPT")
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--page", type=Path)
    typed = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"  # more would wait for each other where another program has a core
    rows: list[Row] = []
    clean: dict[str, list[str]] = {}
    failures: list[str] = []
    loads = [os.getloadavg()[0]]
    for script in typed.only or PLANTED:
        try:
            clean[script] = promised(_probed(script, "none", typed.steps))
        except NotMeasured as error:
            failures.append(str(error))
        for defect in PLANTED[script]:
            sys.stderr.write(f"{script}: {defect}\n")
            try:
                rows.append(measured(script, defect, pairs=typed.pairs, steps=typed.steps))
                sys.stderr.write(f"{_line(rows[-1])}\n")  # who ends it early has this much
            except NotMeasured as error:
                failures.append(str(error))
            loads.append(os.getloadavg()[0])
    text = report(
        rows, clean, failures, f"{typed.pairs} pairs of runs for each defect; load {min(loads):.1f} to {max(loads):.1f}"
    )
    sys.stdout.write(f"{text}\n")
    if typed.page is not None:
        page = typed.page.read_text(encoding="utf-8")
        typed.page.write_text(between_markers(page, _MARKER, text), encoding="utf-8")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
