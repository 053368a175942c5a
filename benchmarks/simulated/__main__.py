"""`python -m benchmarks.simulated --output DIRECTORY`: the scripts on a real GPU, compared with the simulation.

Writes `table.md`, and for each script what was seen and what was said as JSON. It exits with 2 where there is no GPU,
and with 1 where a script could not be compared. `--gpu` names the card as `trainlint plan --gpu` does.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import torch

from benchmarks.simulated.comparison import Measured, Predicted, Traced, predicted, table
from benchmarks.simulated.on_gpu import STEPS, WARMUP

_SCRIPTS = Path(__file__).resolve().parent / "scripts"
_ONE_RANK = {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29517"}


def _run(words: list[str], until: float) -> None:
    """Raises ValueError with the last line of what it said, where it wrote nothing or the time is up."""
    try:
        ran = subprocess.run(
            [sys.executable, *words],
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, **_ONE_RANK},
            timeout=max(1.0, until - time.monotonic()),
        )
    except subprocess.TimeoutExpired as late:
        raise ValueError("the time was up") from late
    if ran.returncode > 1:
        raise ValueError(ran.stderr.strip().rpartition("\n")[2] or f"it ended with code {ran.returncode}")


def _compared(script: Path, gpu: str, output: Path, until: float) -> tuple[Predicted, Measured]:
    said, seen = output / f"{script.stem}.said.json", output / f"{script.stem}.seen.json"
    said.unlink(missing_ok=True)
    seen.unlink(missing_ok=True)
    words = ["--no-overlay", "--output-format", "json", "--warmup", str(WARMUP), "--steps", str(STEPS)]
    _run(["-m", "trainlint", "probe", "--device", f"simulated:{gpu}", *words, "-o", str(said), str(script)], until)
    _run(["-m", "benchmarks.simulated.on_gpu", str(script), str(seen)], until)
    if not (said.exists() and seen.exists()):
        raise ValueError("it wrote no figures")
    document, found = json.loads(said.read_text(encoding="utf-8")), json.loads(seen.read_text(encoding="utf-8"))
    waits = {int(line): count for line, count in found["waits"].items()}
    return predicted(document["runs"][0]), Measured(waits, found["peak"], Traced(**found["traced"]))


def main(words: list[str] | None = None) -> int:
    """Compare all scripts."""
    parser = argparse.ArgumentParser("python -m benchmarks.simulated", description=__doc__)
    parser.add_argument("--gpu", default="h100", help="the card that is simulated (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=8.0, help="in which to be done (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=Path("build/simulated"), help="where to (default: %(default)s)")
    options = parser.parse_args(words)
    if not torch.cuda.is_available():
        sys.stderr.write("This machine has no GPU that PyTorch can use, so there is nothing to compare with.\n")
        return 2
    options.output.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + 60 * options.minutes
    results: dict[str, tuple[Predicted, Measured]] = {}
    failures: dict[str, str] = {}
    for script in sorted(_SCRIPTS.glob("*.py")):
        try:
            results[script.stem] = _compared(script, options.gpu, options.output, until)
        except ValueError as error:
            failures[script.stem] = str(error)
        text = table(results, failures, f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
        (options.output / "table.md").write_text(f"{text}\n", encoding="utf-8")
    print(text)  # noqa: T201 - the benchmark's result
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
