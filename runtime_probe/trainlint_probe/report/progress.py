"""What a run is, and how far: the process under watch notes it in a file, and its parent says it at a terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from time import monotonic

from trainlint.cli import console
from trainlint_probe.child_settings import ChildSettings

EVERY = 15.0
"""Seconds between two lines."""
_NOTED = "progress"


def about_to_run(what: str, orders: ChildSettings) -> str:
    """What runs, how long, and how to stop it, in a line that is said before it starts."""
    return (
        f"Running {what}: it stops by itself after {_steps(orders)}, at the latest {orders.timeout:g} s after the "
        "first. Ctrl-C stops it sooner."
    )


def _steps(orders: ChildSettings) -> str:
    simulated = f"{orders.simulated_warmup + orders.simulated_steps} steps"
    least, most = (start + orders.steps for start in (orders.warmup, max(orders.warmup, orders.warmup_limit)))
    real = f"about {least} to {most} steps" if least < most else f"about {least} steps"
    if orders.device == "real":
        return real
    return f"{simulated} (on a real GPU {real})" if orders.device == "auto" else simulated


def note_progress(output: str, words: str) -> None:
    """Leave in the directory of the evidence how far this run is."""
    Path(output, _NOTED).write_text(words, encoding="utf-8")


class Progress:
    """Says how far a run is, now and then."""

    def __init__(self, output: Path) -> None:
        self._output = output
        self._began = self._said = monotonic()

    def tell(self) -> None:
        """Say it, where it was not said lately. Called often."""
        now = monotonic()
        if now < self._said + EVERY:
            return
        self._said = now
        try:
            noted = (self._output / _NOTED).read_text(encoding="utf-8")
        except OSError:
            noted = ""
        # A progress bar of the script's may stand in this line of the terminal: it draws itself again.
        line = f"\r\x1b[2KAfter {now - self._began:.0f} s: {noted or 'no step yet'}.\n"
        console.write(sys.stderr, line)
