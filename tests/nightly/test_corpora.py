"""Tens of thousands of real files: Python's own library and large wheels. No crash, and no wrong exit code."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import warnings
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

WHEELS = (
    "accelerate",
    "diffusers",
    "django",
    "flax",
    "lightning",
    "matplotlib",
    "networkx",
    "numpy",
    "pandas",
    "scikit-learn",
    "scipy",
    "sqlalchemy",
    "sympy",
    "timm",
    "torch",
    "transformers",
)
EVERYTHING = ("--select", "ALL", "--preview", "--min-confidence", "unlikely")


def is_python(path: Path) -> bool:
    """Whether this interpreter reads a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def unexpected(directory: Path, report: Path) -> list[str]:
    """What a run over a directory says that it should not: failures of files that Python reads, a wrong exit code."""
    arguments = ["check", ".", "--isolated", "--no-cache", *EVERYTHING, "--output-format", "json", "-o", str(report)]
    done = subprocess.run(
        [sys.executable, "-m", "trainlint", *arguments], cwd=directory, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1, 2) or not report.exists():
        return [f"exit code {done.returncode}: {done.stderr}"]
    found = json.loads(report.read_text(encoding="utf-8"))
    expected = 2 if found["failures"] else 1 if found["findings"] else 0
    wrong = [f"exit code {done.returncode} in place of {expected}"] if done.returncode != expected else []
    wrong += [
        f"{failure['path']}: {failure['reason']}"
        for failure in found["failures"]
        if failure["rule"] != "TRN001" or is_python(directory / failure["path"])
    ]
    return wrong


def test_only_failures_of_files_that_python_reads_are_unexpected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "old.py").write_text("import torch\nprint 'hello'\n")
    (project / "train.py").write_text("import torch\n")
    assert unexpected(project, tmp_path / "report.json") == []
    monkeypatch.setattr("tests.nightly.test_corpora.is_python", lambda path: True)
    (wrong,) = unexpected(project, tmp_path / "report.json")
    assert wrong.startswith("old.py: ")


def test_the_standard_library(tmp_path: Path) -> None:
    assert unexpected(Path(sysconfig.get_path("stdlib")), tmp_path / "report.json") == []


@pytest.mark.network
@pytest.mark.parametrize("name", WHEELS)
def test_a_large_wheel(name: str, tmp_path: Path) -> None:
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", name]
    subprocess.run([*download, "--dest", str(tmp_path)], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    source = tmp_path / "source"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(source, [each for each in archive.namelist() if each.endswith(".py")])
    assert unexpected(source, tmp_path / "report.json") == []
