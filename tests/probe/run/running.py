"""Scripts that are run by real processes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trainlint.evidence.run import Run, Seen
from trainlint.symptoms import Symptom
from trainlint_probe.child_settings import ChildSettings
from trainlint_probe.launch import Launched, Request, launch

SCRIPTS = Path(__file__).parents[1] / "scripts"


class Runner:
    """Runs the scripts of this folder in an empty working directory."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.project = directory / "project"
        self.output = directory / "output"
        self.project.mkdir()
        self.output.mkdir()
        monkeypatch.chdir(self.project)
        monkeypatch.setenv("OMP_NUM_THREADS", "1")
        ours = os.pathsep.join(str(SCRIPTS.parents[2] / folder) for folder in (".", "runtime_probe"))
        others = os.environ.get("PYTHONPATH", "")
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (ours, others))))

    def run(
        self,
        script: str,
        *arguments: str,
        module: bool = False,
        processes: int = 1,
        overlay: bool | None = False,
        **orders: Any,
    ) -> Launched:
        """What came of a script of this folder, named without its suffix, or of a module."""
        asked = ChildSettings(output="", warmup=3, warmup_limit=12, steps=8, start_timeout=120, timeout=120)
        name = script if module else str(SCRIPTS / f"{script}.py")
        request = Request(
            name,
            arguments,
            module=module,
            processes=processes,
            child_settings=replace(asked, **orders),
            overlay=overlay,
        )
        return launch(request, self.output)

    def files(self) -> list[str]:
        """What lies in the working directory."""
        return sorted(str(path.relative_to(self.project)) for path in self.project.rglob("*"))


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    return Runner(tmp_path, monkeypatch)


def only(launched: Launched) -> Run:
    """The one run of a script."""
    assert len(launched.runs) == 1, launched.fault
    return launched.runs[0]


def line_of(script: str, text: str) -> int:
    """The first line of a script that holds some text."""
    lines = (SCRIPTS / f"{script}.py").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def seen_at(run: Run, line: int, symptom: Symptom | None = None) -> list[Seen]:
    """What was seen at a line."""
    return [item for item in run.seen if item.at.line == line and symptom in (None, item.symptom)]
