"""A small project in which one file's finding hangs on the others, for the tests of linked runs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from trainlint.catalogue import installed_rules
from trainlint.config import Overrides
from trainlint.engine.configurations import Configurations
from trainlint.engine.discover import discover
from trainlint.engine.run import Run, run
from trainlint.finding import Finding

UTILS = """\
import torch


def log(loss, step):
    print(step, loss.item())
"""
ENGINE = """\
import torch

from pkg.utils import log


def run_step(model, optimizer, criterion, inputs, targets, step):
    optimizer.zero_grad()
    loss = criterion(model(inputs), targets)
    loss.backward()
    optimizer.step()
    log(loss, step)
"""
TRAIN = """\
import torch

from pkg.engine import run_step


def main(model, optimizer, criterion, train_loader, device):
    for step, (inputs, targets) in enumerate(train_loader):
        run_step(model, optimizer, criterion, inputs.to(device), targets.to(device), step)
"""
FILES = {"pkg/__init__.py": "", "pkg/utils.py": UTILS, "pkg/engine.py": ENGINE, "scripts/train.py": TRAIN}


def write_project(root: Path, files: dict[str, str] | None = None, *, repository: bool = True) -> Path:
    """The project, as a git repository."""
    for name, text in (FILES if files is None else files).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if repository:
        # Where a test runs inside a hook, GIT_DIR would mean another repository.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        subprocess.run(["git", "init", "--quiet"], cwd=root, env=environment, check=True)
    return root


def judged(*paths: str | Path, workers: int | None = 1, overrides: Overrides | None = None) -> Run:
    """A run over paths below the working directory."""
    configurations = Configurations(installed_rules(), overrides)
    discovery = discover([Path(path) for path in paths], configurations.excludes)
    return run(discovery, configurations, workers=workers)


def findings_in(found: Run, name: str = "pkg/utils.py") -> list[Finding]:
    """A run's findings in one file."""
    return [finding for finding in found.report.findings if finding.path == name]
