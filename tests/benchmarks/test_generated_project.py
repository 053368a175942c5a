"""The project in which the language server's latency is measured is what the page says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.speed.generated_project import HELPER, edited, write_project
from trainlint.catalogue import installed_rules
from trainlint.engine.configurations import Configurations
from trainlint.engine.session import Session
from trainlint.source import source_from_text

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_it_has_as_many_files_and_lines_as_wanted(tmp_path: Path) -> None:
    root = write_project(tmp_path, 60, 500)
    assert len(list(root.rglob("*.py"))) == 60
    assert 500 <= (root / "large.py").read_text().count("\n") < 520


def test_each_change_brings_up_a_finding_elsewhere_or_takes_it_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_project(tmp_path, 30, 200)
    monkeypatch.chdir(root)
    session = Session(Configurations(installed_rules()), lambda: None)
    text, helper = (root / "large.py").read_text(), (root / HELPER).read_text()
    for number, heated in enumerate((False, True, False, True)):
        texts = {root / "large.py": edited(text, number, heated=heated), root / HELPER: helper}
        found = session.judged({path: source_from_text(path.name, text) for path, text in texts.items()})
        assert [finding.code for finding in found.outcomes[root / HELPER].findings] == ["TRN201"] * heated
