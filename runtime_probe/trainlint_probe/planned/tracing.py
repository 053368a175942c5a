"""Asks a process of its own what a model keeps: the user's code runs there, and PyTorch is imported there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from trainlint.cli.console import UsageError
from trainlint.planning.model import Model, TracedActivations
from trainlint.planning.training import Precision


def traced_model(target: str, inputs: Sequence[str], precision: Precision) -> Model:
    """The model that `package.module:callable` makes. Raises UsageError with what the child said against it."""
    command = [sys.executable, "-m", "trainlint_probe.planned.trace_child", target, precision.value, *inputs]
    paths = [str(Path.cwd()), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "CUDA_VISIBLE_DEVICES": ""}
    child = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=False)
    answer = _answer(child.stdout)
    if answer is None:
        raise UsageError(
            f"the process that built {target} ended with code {child.returncode} and said nothing; "
            "what it printed stands above. Is PyTorch installed (`trainlint doctor`)?"
        )
    if "error" in answer:
        raise UsageError(str(answer["error"]))
    return _model(target, answer)


def _answer(text: str) -> dict[str, object] | None:
    """The last line, if it is what the child writes."""
    lines = text.strip().splitlines()
    try:
        found = json.loads(lines[-1]) if lines else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _model(target: str, answer: dict[str, object]) -> Model:
    parameters, trained, unit = (float(str(answer[name])) for name in ("parameters", "trained", "largest_unit"))
    return Model(target, parameters, trained, unit, traced=_activations(answer.get("forwards")))


def _activations(forwards: object) -> TracedActivations | None:
    """What two sizes of a batch say: a part that is always the same, and one for each sample."""
    if not isinstance(forwards, list):
        return None
    (few, kept_by_few, outputs), (many, kept_by_many, _) = (
        (int(item["batch"]), float(item["kept"]), float(item["outputs"])) for item in forwards
    )
    each = (kept_by_many - kept_by_few) / (many - few)
    return TracedActivations(few, max(0.0, kept_by_few - few * each), each, outputs / few)
