"""`python -m benchmarks.probe_gpu --page docs/probe.md`: on a machine with a GPU.

Each toy is run with its defect under the probe, which predicts what a step would gain without it, and then with and
without the defect in turn. The table says whether the measured gain lies in the predicted interval.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from trainlint.evidence import Interval
from trainlint.records import dataclass
from trainlint_probe.verify.bootstrap import Estimate, Pair, ratio_of_means
from trainlint_probe.verify.result import Trial
from trainlint_probe.verify.run import Request, alternating, run_once

_TOYS = Path(__file__).parent / "toys"
SHOWN_BY = {
    "sync": ("TRN201", "TRNP201"),
    "pageable": ("TRNP202", "TRN205"),
    "churn": ("TRN301", "TRNP305"),
    "compiled": ("TRNP203",),
    "precision": ("TRNP401",),
}
"""For each toy, the codes of the verdicts that may price its defect, the first that does."""
_STARTS, _ENDS = "<!-- predicted:start -->", "<!-- predicted:end -->"


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


def table(rows: list[Row], machine: str) -> str:
    """The rows as Markdown."""
    lines = [
        f"On {machine}. Milliseconds per step; the gain with its 95% interval.",
        "",
        "| toy | verdict | step | predicted gain | measured gain | came true |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    for row in rows:
        predicted = f"{row.predicted.low:.2f} to {row.predicted.high:.2f}" if row.predicted else "not priced"
        truth = {True: "yes", False: "no", None: "-"}[row.came_true]
        gain = f"{row.gain.low:.2f} to {row.gain.high:.2f}"
        lines.append(f"| {row.toy} | {row.code or '-'} | {row.before:.2f} | {predicted} | {gain} | {truth} |")
    return "\n".join(lines)


def price(document: dict[str, object], codes: tuple[str, ...]) -> tuple[str, Interval | None]:
    """What the probe's JSON says that a defect costs: the first of some codes that has a price."""
    verdicts = document["verdicts"]
    assert isinstance(verdicts, list), "the probe's own document"
    for code in codes:
        for item in verdicts:
            if item["code"] == code and item["cost"] is not None:
                return code, Interval(item["cost"]["low"], item["cost"]["high"])
    return "", None


def _row(toy: str, pairs: int) -> Row:
    script = str(_TOYS / f"{toy}.py")
    code, predicted = price(_probed(script), SHOWN_BY[toy])
    runs: dict[bool, list[Trial]] = {False: [], True: []}
    for fixed in alternating(pairs):
        trial = run_once(Request(script, ("fixed" if fixed else "defect",), warmup=20, steps=100), {})
        if not trial.step_ms:
            sys.exit(f"probe_gpu: {toy} did not run: {trial.failure or trial.end.value}")
        runs[fixed].append(trial)
    # The first run without the fix is a rehearsal.
    pairs_of_runs = [
        Pair(before.step_ms, after.step_ms) for before, after in zip(runs[False][1:], runs[True], strict=True)
    ]
    before = [ms for pair in pairs_of_runs for ms in pair.before]
    return Row(toy, code, predicted, sum(before) / len(before), ratio_of_means(pairs_of_runs))


def _probed(script: str) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory) / "report.json"
        command = [sys.executable, "-m", "trainlint", "probe", "--deep", "--output-format", "json", "-o", str(report)]
        subprocess.run([*command, script, "defect"], check=False)  # it exits with 1 where it confirms the defect
        document: dict[str, object] = json.loads(report.read_text(encoding="utf-8"))
        return document


def main() -> None:
    """Run all toys, and write the table."""
    parser = argparse.ArgumentParser("python -m benchmarks.probe_gpu", description=__doc__)
    parser.add_argument("--pairs", type=int, default=5, help="how often each version runs (default: %(default)s)")
    parser.add_argument("--page", type=Path, help="a page with the marks that the table goes between")
    options = parser.parse_args()
    import torch

    if not torch.cuda.is_available():
        sys.exit("probe_gpu: this machine has no GPU that PyTorch can use, so there is nothing to compare")
    rows = [_row(toy, options.pairs) for toy in SHOWN_BY]
    text = table(rows, f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    print(text)  # noqa: T201 - the benchmark's result
    if options.page is not None:
        before, _, rest = options.page.read_text(encoding="utf-8").partition(_STARTS)
        _, _, after = rest.partition(_ENDS)
        options.page.write_text(f"{before}{_STARTS}\n{text}\n{_ENDS}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
