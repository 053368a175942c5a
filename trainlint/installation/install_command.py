"""The command that installs a library where this trainlint finds it, whatever the user installed trainlint from."""

from __future__ import annotations

import shlex
import shutil
import sys
from importlib.machinery import PathFinder


def install_command(*words: str) -> str:
    """The command line that installs libraries, by their names, for the Python that runs now.

    Environments that uv made have no pip.
    """
    python = sys.executable or "python"
    if PathFinder.find_spec("pip") is None and shutil.which("uv") is not None:
        return shlex.join(["uv", "pip", "install", "--python", python, *words])
    return shlex.join([python, "-m", "pip", "install", *words])
