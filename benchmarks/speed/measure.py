"""Runs one contestant once, in a process of its own, and says what it took."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.speed.results import Took

_LAUNCH = Path(__file__).resolve().parent / "launch.py"
SANE = frozenset({0, 1})
"""Exit codes of a linter that did its work: nothing found, something found."""


class Failed(Exception):
    """A contestant did not do its work. The message says why, in a few words."""


@dataclass(frozen=True, slots=True)
class Ran:
    """One run."""

    took: Took
    output: str
    """What it printed on stdout."""
    code: int


def run(command: Sequence[str], directory: Path, *, limit: float, cores: int = 1, sane: frozenset[int] = SANE) -> Ran:
    """Run a command in a directory, on `cores` processors, for at most `limit` seconds.

    Raises Failed where it takes longer, cannot be started, or ends with an exit code that is not sane.
    """
    with tempfile.TemporaryDirectory(prefix="trainlint-speed-") as place:
        report, out, err = (Path(place) / name for name in ("report", "out", "err"))
        # -I: neither this program's environment nor the directory may change what Python imports.
        launch = [sys.executable, "-I", "-S", str(_LAUNCH), str(report), str(limit), str(cores), str(out), str(err)]
        subprocess.run([*launch, *command], cwd=directory, check=True, env=_environment())
        took = json.loads(report.read_text(encoding="utf-8"))
        if took["late"]:
            raise Failed(f"took longer than {limit:g} s and was ended")
        if took["code"] not in sane:
            said = err.read_text(encoding="utf-8", errors="replace").replace(f"{directory}/", "")
            lines = said.strip().splitlines()
            raise Failed(f"ended with exit code {took['code']}" + (f": {lines[-1][:200]}" if lines else ""))
        output = out.read_text(encoding="utf-8", errors="replace")
    return Ran(Took(took["cpu"], took["wall"], took["peak"]), output, took["code"])


def _environment() -> dict[str, str]:
    """Python's bytecode is kept, whatever this process was told: with pip's installation it is there as well."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
