"""Environments for scripts: one for all that need the same, above one with PyTorch that all share."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

from benchmarks.truth.failures import NotRun, last_line

TORCH = "torch==2.13.0"
_OURS = ("libcst>=1.9", "rich>=13.3.5", "packaging>=22", "platformdirs>=4", "pyyaml>=6", "numpy")
"""What trainlint's own modules need to run a script."""


def environment_for(requires: Sequence[str], directory: Path) -> Path:
    """The Python of an environment with these requirements, made where it is not there yet. Raises NotRun.

    PyTorch takes hundreds of megabytes, so it is installed once: the other environments see what the first one has.
    """
    below = _made(directory, (TORCH, *_OURS), None)
    return _made(directory, (TORCH, *requires), below)


def _made(directory: Path, wanted: Sequence[str], below: Path | None) -> Path:
    """The Python of an environment. What `below` has is not installed again."""
    words = [*wanted, str(below or "")]
    home = directory / hashlib.sha256("\n".join(words).encode()).hexdigest()[:12]
    python = home / "bin" / "python"
    done = home / "complete"
    if done.exists():
        return python
    sys.stderr.write(f"install {' '.join(wanted)}\n")
    venv.create(home, with_pip=True, clear=True)
    if below is not None:
        _packages_of(home).joinpath("below.pth").write_text(f"{_packages_of(below.parents[1])}\n", "utf-8")
    command = [str(python), "-m", "pip", "install", "--quiet", *wanted]
    if (ended := subprocess.run(command, check=False, capture_output=True, text=True)).returncode:
        raise NotRun(f"{' '.join(wanted)} cannot be installed: {last_line(ended.stderr)}")
    done.touch()
    return python


def _packages_of(home: Path) -> Path:
    return next(home.glob("lib/python3*/site-packages"))
