"""Lets Python processes that the script starts be watched, by the environment that they inherit (see `handover`)."""

from __future__ import annotations

import json
import os
from pathlib import Path

from trainlint.evidence_json import to_json
from trainlint_probe.child_settings import ChildSettings, as_environment
from trainlint_probe.verify.order import VARIABLE as TRIAL
from trainlint_probe.verify.order import RunRequest

DIRECTORY = str(Path(__file__).parent / "started")
"""Where our `sitecustomize` lies."""


def to_children(orders: ChildSettings) -> None:
    """Let processes that are started from now on be watched too."""
    os.environ.update(as_environment(orders))
    _lead()


def trial_to_children(order: RunRequest) -> None:
    """Let processes that are started from now on take part in the trial of a fix too."""
    file = Path(order.output) / "order.started.json"
    file.with_suffix(f".{os.getpid()}").write_text(json.dumps(to_json(order)), encoding="utf-8")
    file.with_suffix(f".{os.getpid()}").replace(file)  # ranks of one run write the same
    os.environ[TRIAL] = str(file)
    _lead()


def _lead() -> None:
    paths = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([DIRECTORY, *([paths] if paths else [])])
