"""The scaffold: what it writes loads as a rule, and fails its tests until somebody fills it in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the project to write into."""
    skip = shutil.ignore_patterns("__pycache__", ".*", "build", "dist")
    return shutil.copytree(PROJECT, tmp_path / "trainlint", ignore=skip)


def run(checkout: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the copy's own packages ahead of the installed ones."""
    roots = os.pathsep.join([str(checkout), str(checkout / "rules")])
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, *words],
        cwd=checkout,
        env={**environment, "PYTHONPATH": roots},
        capture_output=True,
        text=True,
        timeout=300,
    )


def start(checkout: Path, code: str, name: str, topic: str = "sync") -> subprocess.CompletedProcess[str]:
    return run(checkout, "rules/new_rule.py", code, name, "--topic", topic)


@pytest.mark.slow
def test_a_started_rule_loads_with_its_page(checkout: Path) -> None:
    started = start(checkout, "TRN299", "some-new-pattern")
    assert started.returncode == 0, started.stderr
    assert "rules/trainlint_rules/sync/some_new_pattern.py" in started.stdout
    assert "tests/cases/TRN299/first_case.py" in started.stdout

    loaded = run(
        checkout,
        "-c",
        "from trainlint.packs import load_rules\n"
        "rule = next(rule for rule in load_rules() if rule.code == 'TRN299')\n"
        "print(rule.name, rule.__module__, 'some_new_pattern(loss)' in rule.manual.example)",
    )
    assert loaded.returncode == 0, loaded.stderr
    assert loaded.stdout.split() == ["some-new-pattern", "trainlint_rules.sync.some_new_pattern", "True"]


def own_tests(checkout: Path) -> subprocess.CompletedProcess[str]:
    """Run the tests of the new rule alone, as CONTRIBUTING.md says."""
    return run(checkout, "-m", "pytest", "-p", "no:cacheprovider", "tests/rules", "-k", "TRN299")


@pytest.mark.nightly
@pytest.mark.slow
def test_an_unwritten_rule_is_never_silently_green(checkout: Path) -> None:
    start(checkout, "TRN299", "some-new-pattern")
    case = run(checkout, "-m", "trainlint", "check", "--select", "TRN299", "tests/cases/TRN299/first_case.py")
    assert case.returncode == 2
    said = " ".join((case.stdout + case.stderr).split())  # a narrow terminal wraps it anywhere
    assert "TRN299 waits to be written" in said

    tests = own_tests(checkout)
    assert tests.returncode == 1, tests.stdout
    for failing in ("test_the_example_is_found[TRN299]", "test_what_is_marked_is_found_and_nothing_else[TRN299/"):
        assert f"::{failing}" in tests.stdout.partition("short test summary")[2]


@pytest.mark.nightly
@pytest.mark.slow
def test_a_written_rule_passes_its_tests(checkout: Path) -> None:
    start(checkout, "TRN299", "some-new-pattern")
    file = checkout / "rules" / "trainlint_rules" / "sync" / "some_new_pattern.py"
    text = file.read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if "raise NotImplementedError" in line)
    text = text.replace(line, "        if not site.heat.heat.in_step:\n            return")
    text = text.replace("with its address.", "https://docs.pytorch.org/docs/stable/")
    file.write_text(text, encoding="utf-8")

    tests = own_tests(checkout)
    assert tests.returncode == 0, tests.stdout


def test_a_new_topic_gets_its_folder(checkout: Path) -> None:
    assert start(checkout, "TRN999", "some-new-pattern", topic="weather").returncode == 0
    loaded = run(checkout, "-c", "from trainlint.packs import load_rules; print(*(r.code for r in load_rules()))")
    assert "TRN999" in loaded.stdout.split(), loaded.stderr


def test_what_is_taken_or_misspelt_is_refused(checkout: Path) -> None:
    for code, name, topic, reason in (
        ("TRN201", "some-new-pattern", "sync", "TRN201 is taken by item-in-training-step"),
        ("TRN299", "item-in-training-step", "sync", "item-in-training-step is taken by TRN201"),
        ("TL299", "some-new-pattern", "sync", "TL299 is no code of ours"),
        ("TRN299", "SomePattern", "sync", "SomePattern is no pattern's name"),
        ("TRN299", "some-new-pattern", "../elsewhere", "../elsewhere is no topic"),
    ):
        refused = start(checkout, code, name, topic)
        assert refused.returncode == 2
        assert reason in refused.stderr
        assert not (checkout / "tests" / "cases" / "TRN299").exists()
