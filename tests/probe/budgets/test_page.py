"""docs/budgets.md, followed from an empty directory."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from trainlint.config.kinds import LIMITS
from trainlint_probe import budget

REPOSITORY = Path(__file__).parents[3]
PAGE = (REPOSITORY / "docs/budgets.md").read_text(encoding="utf-8")
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join(str(REPOSITORY / folder) for folder in (".", "runtime_probe", "rules")),
}


def blocks(language: str) -> list[str]:
    """The blocks of code of the page."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    for name, text in re.findall(r"`(\w+\.py)`:\n\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(text)
    return tmp_path


def run(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *words]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=project, env=ENVIRONMENT, check=False, timeout=120
    )


def test_the_context_manager_says_what_the_page_says(project: Path) -> None:
    ran = run(project, "check_step.py")
    assert ran.returncode == 1
    assert ran.stderr.endswith(blocks("text")[0])


@pytest.mark.slow
def test_the_tests_of_the_page_fail_until_the_read_is_allowed(project: Path) -> None:
    pytest_run = ("-m", "pytest", "-p", "no:randomly", "-p", "no:cacheprovider", *_COMMAND)
    plugin = () if "trainlint_budget" in run(project, "-m", "pytest", "--markers").stdout else _PLUGIN
    ran = run(project, *pytest_run[:2], *plugin, *pytest_run[2:])
    assert "2 failed" in ran.stdout, ran
    assert f"$ pytest {' '.join(_COMMAND)}\n" in PAGE
    step = project / "step.py"
    step.write_text(step.read_text().replace("    history.append(loss.item())", "    history.append(loss.detach())"))
    ran = run(project, *pytest_run[:2], *plugin, *pytest_run[2:])
    assert "2 passed" in ran.stdout, ran
    assert "test_step.py::test_a_step_waits_for_its_batch_alone: syncs: 1 a step (limit 1)" in ran.stdout


_COMMAND = ("--trainlint-device", "simulated", "test_step.py")
_PLUGIN = ("-p", "trainlint_probe.budgets.pytest_plugin")
"""Where this checkout was installed before it declared its plugin."""


def test_every_limit_is_described_and_is_an_argument() -> None:
    described = re.findall(r"^\| `([\w-]+)` \|", PAGE, re.MULTILINE)
    assert described == list(LIMITS)
    for name in LIMITS:
        made = budget(**{name.replace("-", "_"): 1})
        assert made.limits == {name: 1}
