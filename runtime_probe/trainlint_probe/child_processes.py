"""Lets Python processes that the script starts be watched, by the environment that they inherit (see `handover`)."""

from __future__ import annotations

import os
from pathlib import Path

from trainlint_probe.child_settings import ChildSettings, as_environment

DIRECTORY = str(Path(__file__).parent / "started")
"""Where our `sitecustomize` lies."""


def to_children(orders: ChildSettings) -> None:
    """Let processes that are started from now on be watched too."""
    os.environ.update(as_environment(orders))
    paths = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([DIRECTORY, *([paths] if paths else [])])
