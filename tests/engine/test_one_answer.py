"""Whatever is named, a file's findings are the same: a directory, files, standard input, or the file of a question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cache.project import opened
from tests.engine.linked_project import judged, write_project
from tests.engine.small_repositories import REPOSITORIES
from trainlint.catalogue import installed_rules
from trainlint.cli import main
from trainlint.config import Overrides
from trainlint.engine.configurations import Configurations
from trainlint.engine.discover import discover
from trainlint.engine.index import import_graph
from trainlint.engine.run import run, run_text
from trainlint.finding import Confidence, Finding
from trainlint.source import source_from_text

UNSURE = Overrides([("min_confidence", Confidence.POSSIBLE)])


@pytest.fixture(params=sorted(REPOSITORIES))
def repository(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small repository, as the working directory."""
    files, is_repository = REPOSITORIES[request.param]
    root = write_project(tmp_path / "checkout", files, repository=is_repository)
    monkeypatch.chdir(root)
    return root


def findings(*paths: str) -> dict[str, list[Finding]]:
    """By file, also for those without any."""
    found: dict[str, list[Finding]] = {path: [] for path in paths if path != "."}
    for finding in judged(*paths, overrides=UNSURE).report.findings:
        found.setdefault(finding.path, []).append(finding)
    return found


def names(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*.py"))


def test_a_file_has_the_same_findings_however_it_is_named(repository: Path) -> None:
    whole = findings(".")
    assert len(whole) > 2, "there is something to compare"
    for name in names(repository):
        assert findings(name) == {name: whole.get(name, [])}
    some = names(repository)[::2]
    assert findings(*some) == {name: whole.get(name, []) for name in some}
    for name in names(repository):
        source = source_from_text(name, (repository / name).read_text())
        typed = run_text(source, repository / name, Configurations(installed_rules(), UNSURE))
        assert list(typed.report.findings) == whole.get(name, [])


def test_why_tells_the_findings_that_check_shows(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def asked(*words: str) -> dict[str, Any]:
        main([*words, "--no-cache", "--output-format", "json"])
        shown: dict[str, Any] = json.loads(capsys.readouterr().out)
        return shown

    whole = asked("check", ".")["findings"]
    assert whole
    for name in names(repository):
        rules = [look for line in asked("why", name)["lines"] for look in line["rules"]]
        told = [verdict["finding"] for look in rules for verdict in look["findings"] if verdict["shown"]]
        in_order = sorted(told, key=lambda found: (found["span"]["start_line"], found["span"]["start_column"]))
        shown = [finding for finding in whole if finding["path"] == name]
        assert [(found["code"], found["span"], found["confidence"], found["chain"]) for found in in_order] == [
            (found["code"], found["span"], found["confidence"], found["chain"]) for found in shown
        ]


def test_neither_the_cache_nor_processes_change_what_is_found(repository: Path) -> None:
    whole = findings(".")
    for workers in (1, 2):
        for named in (".", *names(repository)):
            configurations = Configurations(installed_rules(), UNSURE)
            found = run(discover([Path(named)]), configurations, workers=workers, cache=opened()).report.findings
            wanted = [finding for name in sorted(whole) for finding in whole[name] if named in (".", name)]
            assert list(found) == wanted


@pytest.mark.parametrize("repository", ["package"], indirect=True)
def test_a_part_of_too_large_a_project_is_judged_by_the_files_nearest_to_it_and_says_so(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(import_graph, "MOST_WHOLE", 0)
    for words in (["check", "shapes/engine.py"], ["why", "shapes/engine.py"]):
        main([*words, "--no-cache"])
        assert "note: the project is too large to link as a whole" in capsys.readouterr().err
    main(["check", ".", "--no-cache"])
    main(["check", "shapes/engine.py", "--no-cache", "--quiet"])
    assert "too large" not in capsys.readouterr().err
