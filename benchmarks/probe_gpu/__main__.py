"""`python -m benchmarks.probe_gpu --page docs/probe.md`: on a machine with a GPU, without any network.

Each toy is run with its defect under the probe, which predicts what a step would gain without it, and then with and
without the defect in turn. The table says whether the measured gain lies in the predicted interval. `--output` keeps,
toy by toy, the table so far, the probe's report, a short trace and the evidence beside it. Where time runs short, toys
are compared by fewer runs; one that fails is told, and the others go on.

`--device cpu` is a rehearsal of all this on tiny toys: it shows that everything runs, and predicts nothing.

trainlint must be installed there, for its rules and subcommands are entry points: where nothing can be installed, bring
what `pip install --target DIRECTORY .` makes, and name it in PYTHONPATH.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ratio import Estimate, Pair, ratio_of_means
from benchmarks.timed_runs import NotMeasured, alternating, step_times
from trainlint.evidence.interval import Interval
from trainlint_probe.child_settings import ChildSettings
from trainlint_probe.launch import Request, launch
from trainlint_probe.storage import write_run

_TOYS = Path(__file__).parent / "toys"
SHOWN_BY: Mapping[str, Sequence[str]] = {
    "sync": ("TRN201", "TRNP201"),
    "pageable": ("TRNP202", "TRN205"),
    "churn": ("TRN301", "TRNP305"),
    "compiled": ("TRNP203",),
    "precision": ("TRNP401",),
}
"""For each toy, the codes of the verdicts that may price its defect, the first that does. What matters most comes
first: time may run out."""
_STARTS, _ENDS = "<!-- predicted:start -->", "<!-- predicted:end -->"
_FEWEST_PAIRS = 3
"""Of two, the comparison says next to nothing."""
_PATIENCE = 180.0
"""Seconds that one run may take."""


class ToyFailed(Exception):
    """A toy did not run; the message says why."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How toys are run."""

    on_gpu: bool
    pairs: int
    """How often each version runs, where there is time."""
    ends: float
    """When all should be done, as time.monotonic counts."""
    output: Path | None = None
    """Where traces and reports are kept; None keeps none."""

    @property
    def steps(self) -> int:
        """Steps that are timed in a run."""
        return 100 if self.on_gpu else 20


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one toy. Times are milliseconds per step."""

    toy: str
    code: str
    predicted: Interval | None
    """None where the probe did not price the defect."""
    before: float
    """A step with the defect."""
    ratio: Estimate
    """A step without it, as a multiple."""

    @property
    def gain(self) -> Interval:
        """What taking the defect away brought, with the 95% interval of the comparison."""
        return Interval(self.before * (1 - self.ratio.high), self.before * (1 - self.ratio.low))

    @property
    def came_true(self) -> bool | None:
        """Whether the two intervals meet; None where nothing was predicted."""
        if self.predicted is None:
            return None
        return self.predicted.low <= self.gain.high and self.gain.low <= self.predicted.high


def table(rows: Sequence[Row], machine: str, failures: Mapping[str, str] | None = None) -> str:
    """The rows as Markdown, and below them which toys failed and why."""
    lines = [
        f"On {machine}. Milliseconds per step; the gain with its 98% interval.",
        "",
        "| toy | verdict | step | predicted gain | measured gain | came true |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    for row in rows:
        predicted = f"{row.predicted.low:.2f} to {row.predicted.high:.2f}" if row.predicted else "not priced"
        truth = {True: "yes", False: "no", None: "-"}[row.came_true]
        gain = f"{row.gain.low:.2f} to {row.gain.high:.2f}"
        lines.append(f"| {row.toy} | {row.code or '-'} | {row.before:.2f} | {predicted} | {gain} | {truth} |")
    if failures:
        lines += ["", *(f"- {toy} was not measured: {why}" for toy, why in failures.items())]
    return "\n".join(lines)


def price(document: dict[str, object], codes: Sequence[str]) -> tuple[str, Interval | None]:
    """What the probe's JSON says that a defect costs: the first of some codes that has a price."""
    verdicts = document["verdicts"]
    assert isinstance(verdicts, list), "the probe's own document"
    for code in codes:
        for item in verdicts:
            if item["code"] == code and item["cost"] is not None:
                return code, Interval(item["cost"]["low"], item["cost"]["high"])
    return "", None


def pairs_in(seconds: float, run: float, asked: int) -> int:
    """How many pairs of runs of so many seconds there is time for: no more than asked for, and a few in any case."""
    return min(asked, max(_FEWEST_PAIRS, int(seconds / (2 * run))))


def measure(script: Path, codes: Sequence[str], settings: Settings, *, seconds: float) -> Row:
    """Predict what a toy's defect costs, and compare. `seconds` is the toy's share of the time.

    Raises ToyFailed.
    """
    began = time.monotonic()
    _timed(script, settings, fixed=False)  # a rehearsal, that fills the caches of files
    _timed(script, settings, fixed=True)  # and of compilers
    took = (time.monotonic() - began) / 2
    code, predicted = price(_probed(script, settings), codes)
    if settings.output is not None:
        _keep_trace(script, settings.output)
    runs: dict[bool, list[tuple[float, ...]]] = {False: [], True: []}
    for fixed in alternating(pairs_in(seconds - (time.monotonic() - began), took, settings.pairs)):
        runs[fixed].append(_timed(script, settings, fixed=fixed))
    pairs = [Pair(before, after) for before, after in zip(runs[False], runs[True], strict=True)]
    before = [ms for pair in pairs for ms in pair.before]
    return Row(script.stem, code, predicted, sum(before) / len(before), ratio_of_means(pairs))


def _timed(script: Path, settings: Settings, *, fixed: bool) -> tuple[float, ...]:
    """The steps of one run with or without the defect."""
    words = ("fixed" if fixed else "defect",)
    try:
        return step_times(script, words, warmup=settings.steps // 5, steps=settings.steps, timeout=_PATIENCE)
    except NotMeasured as error:
        raise ToyFailed(str(error)) from error


def _probed(script: Path, settings: Settings) -> dict[str, object]:
    """The probe's document on a toy with its defect."""
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory) / "report.json"
        words = ["-m", "trainlint", "probe", "--deep", "--no-overlay", "--output-format", "json", "-o", str(report)]
        try:
            # It exits with 1 where it confirms the defect.
            command = [sys.executable, *words, str(script), "defect"]
            ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_PATIENCE)
        except subprocess.TimeoutExpired as late:
            raise ToyFailed(f"the probe took longer than {_PATIENCE:.0f} s") from late
        if not report.exists():
            last = ran.stderr.strip().rpartition("\n")[2] or "it said nothing"
            raise ToyFailed(f"the probe ended with code {ran.returncode}: {last}")
        if settings.output is not None:
            shutil.copy(report, settings.output / f"{script.stem}.report.json")
        document: dict[str, object] = json.loads(report.read_text(encoding="utf-8"))
        return document


def _keep_trace(script: Path, output: Path) -> None:
    """A trace of three steps with the defect, short enough to be read in tests, and the evidence of the same run."""
    orders = ChildSettings(
        output="", warmup=5, warmup_limit=20, steps=10, deep_steps=3, start_timeout=_PATIENCE, timeout=_PATIENCE
    )
    with tempfile.TemporaryDirectory() as directory:
        launched = launch(
            Request(str(script), ("defect",), child_settings=orders, overlay=False),
            Path(directory),
        )
        if launched.fault or not launched.traces:
            raise ToyFailed(launched.fault or "there is no trace")
        shutil.copy(launched.traces[0], output / f"{script.stem}.trace.json.gz")
        write_run(launched.runs[0], output / f"{script.stem}.evidence.json")


def run(scripts: Mapping[Path, Sequence[str]], settings: Settings, machine: str) -> tuple[list[Row], dict[str, str]]:
    """Measure toys, one after the other, and say which failed and why."""
    rows: list[Row] = []
    failures: dict[str, str] = {}
    for number, (script, codes) in enumerate(scripts.items()):
        left = settings.ends - time.monotonic()
        sys.stderr.write(f"probe_gpu: {script.stem}, {left:.0f} s left\n")
        if left <= 0:
            failures[script.stem] = "the time was up"
            continue
        try:
            rows.append(measure(script, codes, settings, seconds=left / (len(scripts) - number)))
        except ToyFailed as failure:
            failures[script.stem] = str(failure)
        if settings.output is not None:
            text = table(rows, machine, failures)
            (settings.output / "table.md").write_text(f"{text}\n", encoding="utf-8")
    return rows, failures


def main() -> int:
    """Run the toys, and write the table; 1 where one failed."""
    parser = argparse.ArgumentParser("python -m benchmarks.probe_gpu", description=__doc__)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help="cpu rehearses (default: cuda)")
    parser.add_argument("--pairs", type=int, default=5, help="how often each version runs (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=8.0, help="in which to be done (default: %(default)s)")
    parser.add_argument("--toys", nargs="+", choices=SHOWN_BY, default=list(SHOWN_BY), help="only these")
    parser.add_argument("--output", type=Path, help="a directory for traces, evidence and reports")
    parser.add_argument("--page", type=Path, help="a page with the marks that the table goes between")
    options = parser.parse_args()
    on_gpu = options.device == "cuda"
    if not on_gpu and options.page is not None:
        parser.error("a rehearsal on the CPU has no figures for a page")
    if not on_gpu:
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    import torch

    if on_gpu and not torch.cuda.is_available():
        sys.exit("probe_gpu: this machine has no GPU that PyTorch can use, so there is nothing to compare")
    if options.output is not None:
        options.output.mkdir(parents=True, exist_ok=True)
    device = torch.cuda.get_device_name() if on_gpu else "a CPU, as a rehearsal"
    machine = f"{device}, torch {torch.__version__}"
    settings = Settings(on_gpu, options.pairs, time.monotonic() + 60 * options.minutes, options.output)
    scripts = {_TOYS / f"{toy}.py": SHOWN_BY[toy] for toy in options.toys}
    rows, failures = run(scripts, settings, machine)
    text = table(rows, machine, failures)
    print(text)  # noqa: T201 - the benchmark's result
    if options.page is not None and rows:
        before, _, rest = options.page.read_text(encoding="utf-8").partition(_STARTS)
        _, _, after = rest.partition(_ENDS)
        options.page.write_text(f"{before}{_STARTS}\n{text}\n{_ENDS}{after}", encoding="utf-8")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
