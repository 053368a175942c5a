"""Repositories of GitHub that scripts train with: the folders that a script names, at a fixed commit."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.truth.failures import NotRun, last_line
from benchmarks.truth.scripts_of import Script


def repository_for(script: Script, directory: Path) -> Path | None:
    """The folder of the script's repository, fetched where it is not there yet; None where it has none. Raises NotRun.

    Only what the script names is fetched, and the files beside it: repositories hold pictures and data of many
    megabytes.
    """
    if not script.repository:
        return None
    address, _, commit = script.repository.partition("@")
    wanted = [script.repository, *script.packages]
    name = address.rpartition("/")[2]
    home = directory / hashlib.sha256("\n".join(wanted).encode()).hexdigest()[:12] / name
    if home.exists():
        return home
    sys.stderr.write(f"fetch {' '.join(wanted)}\n")
    unfinished = home.with_name(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    folders = [package.removeprefix(name).strip("/") for package in script.packages]
    git = ["git", "-C", str(unfinished)]
    commands = [
        ["git", "clone", "--quiet", "--no-checkout", "--filter=blob:none", f"https://github.com/{address}", unfinished],
        [*git, "sparse-checkout", "set", *folders] if all(folders) else [*git, "sparse-checkout", "disable"],
        [*git, "checkout", "--quiet", commit],
    ]
    for command in commands:
        if (ended := subprocess.run(command, check=False, capture_output=True, text=True)).returncode:
            raise NotRun(f"{address} cannot be fetched: {last_line(ended.stderr)}")
    return unfinished.rename(home)
