"""git for tests: with an identity of its own, and without the configuration of the machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def git(clone: Path, *arguments: str) -> str:
    """What git prints about a clone, without the line's end."""
    identity = {
        f"GIT_{role}_{part}": "toy@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")
    }
    environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = ["git", "-C", str(clone), *arguments]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()
