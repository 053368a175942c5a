"""Runs scripts under the simulated GPU, each in a process of its environment."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from benchmarks.truth.failures import NotRun, last_line
from benchmarks.truth.record import Record, from_json
from benchmarks.truth.scripts_of import Script

ROOT = Path(__file__).parents[2]
PATIENCE_S = 600.0
"""Seconds that a script may take."""


def record_of(script: Script, python: Path, repository: Path | None = None) -> tuple[Record, ...]:
    """What a run of the script shows, by each unit that it counts. Raises NotRun.

    Args:
        script: what runs.
        python: runs it.
        repository: the folder of the script's repository; the script runs in a copy of it, which is gone afterwards.
    """
    with tempfile.TemporaryDirectory(prefix="trainlint-truth-") as directory:
        output = Path(directory) / "record.json"
        work = Path(directory) / (repository.name if repository else "work")
        work.mkdir()
        if repository:
            shutil.copytree(repository, work, ignore=shutil.ignore_patterns(".git"), dirs_exist_ok=True)
        path = os.pathsep.join(map(str, (ROOT, ROOT / "runtime_probe", ROOT / "rules")))
        # Downloads would make the truth hang on somebody else's server.
        settings = {"PYTHONPATH": path, "HF_HUB_OFFLINE": "1", "PYTHONHASHSEED": "0", "CUDA_VISIBLE_DEVICES": ""}
        command = [str(python), "-m", "benchmarks.truth.recording", str(script.path), str(output)]
        try:
            ended = subprocess.run(
                command,
                cwd=work,
                env={**os.environ, **settings},
                check=False,
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
            )
        except subprocess.TimeoutExpired:
            raise NotRun(f"it took more than {PATIENCE_S:g} s") from None
        if not output.exists():
            raise NotRun(last_line(ended.stderr))
        found = from_json(json.loads(output.read_text("utf-8")))
    if repository is None:
        return found
    places = {name: str(repository.parent / name) for name in script.packages}
    return tuple(replace(each, packages=places) for each in found)
