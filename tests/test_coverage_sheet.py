"""The coverage sheet: one training project twice, once with an antipattern for nearly every rule, once without any.

    pytest tests/test_coverage_sheet.py

Both stand in `tests/coverage_sheet`. In `wasteful` a marker such as `#! TRN201` ends each line on which a finding is
due, as in `tests/cases`; `clean` is the same project with each of them mended as the rule's page says. Files are judged
together, as `trainlint check --isolated --preview` judges a project: many findings hang on what another file does.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from pathlib import Path

import pytest
import yaml

from tests.rules.catalogue import all_rules
from tests.rules.test_cases import read_case
from trainlint.catalogue import installed_rules
from trainlint.config import Overrides
from trainlint.engine.configurations import Configurations
from trainlint.engine.discover import discover
from trainlint.engine.rewriting import Fixing
from trainlint.engine.run import Run, run
from trainlint.finding import Confidence, Safety

SHEET = Path(__file__).parent / "coverage_sheet"
LEAST = 60
"""How many different antipatterns the sheet is to hold."""

Place = tuple[str, int, str]
"""File, line and code."""

SETTINGS: frozenset[Place] = frozenset(
    {
        ("configs/deepspeed.json", 5, "TRN520"),  # stage 2 without overlap_comm
        ("configs/deepspeed.json", 7, "TRN520"),  # contiguous_gradients off
        ("configs/deepspeed.json", 11, "TRN520"),  # wall_clock_breakdown
    }
)
"""What is due in JSON, which has no comments to mark it with."""


def files_of(project: str) -> list[str]:
    root = SHEET / project
    found = (path for path in root.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return sorted(path.relative_to(root).as_posix() for path in found)


def written(project: str, root: Path) -> set[Place]:
    """Write a project without its markers, and tell what is due in it."""
    due = set()
    for name in files_of(project):
        text, marks = read_case(SHEET / project / name)
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
        due |= {(name, line, code) for line, code in marks}
    return due


def judged(*, preview: bool, fixing: Fixing | None = None) -> Run:
    """The run over the working directory that `trainlint check --isolated .` makes.

    The sheet's programs call few of its functions, and what nobody calls has no finding by default.
    """
    overrides = Overrides(preview=preview, min_confidence=Confidence.POSSIBLE if preview else Confidence.LIKELY)
    configurations = Configurations(installed_rules(), overrides, isolated=True)
    return run(discover([Path()], configurations.excludes), configurations, fixing=fixing, workers=1)


def table(places: set[Place]) -> str:
    """A row for each code: its name, and where it is due."""
    names = {rule.code: rule.name for rule in all_rules()}
    rows = []
    for code in sorted({code for _, _, code in places}):
        where = ", ".join(f"{file}:{line}" for file, line, other in sorted(places) if other == code)
        rows.append(f"{code}  {names.get(code, '(no such rule)'):32}  {where}")
    return "\n".join(rows)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, whose name says nothing of tests."""
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    return root


def test_each_antipattern_is_found_by_exactly_its_rule(project: Path) -> None:
    due = written("wasteful", project) | SETTINGS
    found = judged(preview=True)
    said = {(item.path, item.span.start_line, item.code): item for item in found.report.findings}
    missed = [f"{file}:{line}: expected {code}, got nothing" for file, line, code in sorted(due - set(said))]
    wrong = [
        f"{file}:{line}: expected no {code}, got: {said[file, line, code].message}"
        for file, line, code in sorted(set(said) - due)
    ]
    assert not found.report.failures
    assert not missed + wrong, "\n".join([*missed, *wrong, "", "the sheet:", table(due)])


def test_nothing_is_said_twice(project: Path) -> None:
    written("wasteful", project)
    said = Counter((item.path, item.span, item.code) for item in judged(preview=True).report.findings)
    assert [place for place, times in said.items() if times > 1] == []


def test_the_sheet_covers_the_catalogue(project: Path) -> None:
    due = written("wasteful", project) | SETTINGS
    codes = {code for _, _, code in due}
    assert codes <= {rule.code for rule in all_rules()}
    assert len(codes) >= LEAST, table(due)


def test_the_clean_twin_has_the_same_files() -> None:
    assert files_of("clean") == files_of("wasteful")


def test_the_clean_twin_is_silent(project: Path) -> None:
    assert written("clean", project) == set(), "there are markers in the clean twin"
    report = judged(preview=False).report
    assert not report.failures
    assert [f"{item.path}:{item.span.start_line}: {item.code} {item.message}" for item in report.findings] == []
    assert report.files == len(files_of("clean"))


def test_fixes_of_the_wasteful_twin_leave_files_that_can_be_read(project: Path) -> None:
    due = written("wasteful", project) | SETTINGS
    fixed = judged(preview=True, fixing=Fixing(Safety.UNSAFE))
    assert not fixed.report.failures
    assert fixed.report.fixed > 0
    for name in files_of("wasteful"):
        text = (project / name).read_text(encoding="utf-8")
        match Path(name).suffix:
            case ".py":
                ast.parse(text, filename=name)
            case ".json":
                json.loads(text)
            case ".yaml":
                yaml.safe_load(text)
    left = judged(preview=True).report
    assert not left.failures
    assert {item.code for item in left.findings} <= {code for _, _, code in due}, "a fix brought something new"
