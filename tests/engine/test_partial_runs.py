"""A run over a part of a project finds in it what a run over all of it finds."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from tests.engine.linked_project import ENGINE, FILES, TRAIN, UTILS, findings_in, judged, write_project
from trainlint.catalogue import installed_rules
from trainlint.config import Config
from trainlint.engine.configurations import Configurations
from trainlint.engine.index import import_graph, project_files
from trainlint.engine.index.project_files import Member, ProjectFiles
from trainlint.engine.run import Run, run_text
from trainlint.project import package_parent, project_around
from trainlint.source import source_from_text


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The linked project, as the working directory."""
    monkeypatch.chdir(write_project(tmp_path / "project"))
    return tmp_path / "project"


def context_of(path: Path) -> set[str]:
    """The names of the context files of one file."""
    member = Member(path, path.name, path.stat().st_size, Config())
    files = ProjectFiles([member], Configurations(installed_rules()))
    return {target.path.name for target in files.context}


def judged_text(name: str, text: str, *, alone: bool = False) -> Run:
    source = source_from_text(name, text)
    return run_text(source, Path.cwd() / name, Configurations(installed_rules()), alone=alone)


def test_whatever_is_named_the_finding_is_the_same(project: Path) -> None:
    (finding,) = findings_in(judged("."))
    assert (finding.code, finding.span.start_line) == ("TRN201", 5)
    assert finding.chain[0].startswith("scripts/train.py:7: for step")
    for paths in (["pkg/utils.py"], ["pkg"], ["pkg/utils.py", "pkg/engine.py"], ["pkg/utils.py", "scripts"]):
        for order in (paths, paths[::-1]):
            assert findings_in(judged(*order)) == [finding], order
    assert findings_in(judged_text("pkg/utils.py", UTILS)) == [finding]


def test_context_files_are_not_judged(project: Path) -> None:
    found = judged("pkg/utils.py")
    assert (found.report.files, found.context_files) == (1, 2)
    assert {finding.path for finding in found.report.findings} == {"pkg/utils.py"}
    assert judged(".").context_files == 0


def test_context_files_are_shown_from_the_working_directory(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project / "pkg")
    (finding,) = findings_in(judged("utils.py"), "utils.py")
    assert finding.chain[0].startswith("../scripts/train.py:7: for step")


def test_the_text_of_an_editor_counts_in_place_of_the_file(project: Path) -> None:
    (project / "pkg/utils.py").write_text("import torch\n")
    assert findings_in(judged("pkg/utils.py")) == []
    (finding,) = findings_in(judged_text("pkg/utils.py", UTILS))
    assert finding.code == "TRN201"
    assert findings_in(judged_text("pkg/utils.py", UTILS, alone=True)) == []
    named_from_below = judged_text("scripts/../pkg/utils.py", UTILS)
    assert len(named_from_below.report.findings) == 1
    new = judged_text("scripts/new.py", TRAIN.replace("main", "other"))
    assert {finding.code for finding in new.report.findings} == {
        finding.code for finding in findings_in(judged("."), "scripts/train.py")
    }


@pytest.mark.parametrize(
    "content", [b"def f(:\n    import torch\n", b"import torch\0", b"# coding: no-such\nimport torch\n"]
)
def test_a_broken_neighbour_costs_nothing(project: Path, content: bytes) -> None:
    before = judged("pkg/utils.py")
    (project / "pkg/broken.py").write_bytes(b"from pkg.utils import log\n" + content)
    (project / "pkg/gone.py").symlink_to(project / "nowhere.py")
    found = judged("pkg/utils.py")
    assert (found.report.findings, found.report.failures) == (before.report.findings, ())


def test_a_neighbour_whose_configuration_is_wrong_costs_nothing(project: Path) -> None:
    (project / "scripts/trainlint.toml").write_text("colour = true\n")
    found = judged("pkg/utils.py")
    assert found.report.failures == ()
    assert found.context_files == 1


def test_what_is_excluded_takes_no_part(project: Path) -> None:
    (project / "trainlint.toml").write_text('exclude = ["scripts"]\n')
    assert findings_in(judged(".")) == findings_in(judged("pkg/utils.py"))
    assert judged("pkg/utils.py").context_files == 1
    (project / ".gitignore").write_text("engine.py\n")
    assert findings_in(judged(".")) == findings_in(judged("pkg/utils.py")) == []


def test_context_files_leave_no_trace_in_the_configurations_of_a_run(project: Path) -> None:
    (project / "scripts/trainlint.toml").write_text('select = ["TRN2"]\n')
    configurations = Configurations(installed_rules())
    run_text(source_from_text("pkg/utils.py", UTILS), project / "pkg/utils.py", configurations)
    assert configurations.sources() == (None,)


def test_no_context_file_is_looked_for_where_nothing_can_be_found(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def around(self: ProjectFiles) -> None:
        raise AssertionError("context files were looked for")

    (project / "pkg/paths.py").write_text("import os\n\nfrom pkg.utils import log\n")
    monkeypatch.setattr(ProjectFiles, "_around", around)
    found = judged("pkg/paths.py", "pkg/__init__.py")
    assert (found.report.files, found.report.failures) == (2, ())
    assert "context files were looked for" in judged("pkg/utils.py").report.failures[0].reason


def test_untracked_and_tracked_files_are_context_files_alike(project: Path) -> None:
    untracked = judged("pkg/utils.py")
    subprocess.run(["git", "add", "."], check=True)
    assert judged("pkg/utils.py") == untracked


def test_a_project_need_be_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_project(tmp_path / "plain", repository=False)
    monkeypatch.chdir(root / "pkg")
    (root / "build").mkdir()
    (root / "build/copy.py").write_text("from pkg.utils import log\n")
    assert judged("utils.py").context_files == 2, "the directory around the package"
    (root / "pkg/__init__.py").unlink()
    assert judged("utils.py").context_files == 1, "nothing says that more than this directory belongs together"
    (root / "pyproject.toml").touch()
    assert judged("utils.py").context_files == 2


@pytest.mark.parametrize("marked", [True, False], ids=["a project", "no project"])
def test_links_out_of_the_project_are_no_context_files(tmp_path: Path, marked: bool) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    for path in (tmp_path / "outside.py", inside / "own.py", inside / "utils.py"):
        path.write_text("import utils\n")
    (inside / "link.py").symlink_to(tmp_path / "outside.py")
    (inside / "own_link.py").symlink_to("own.py")
    if marked:
        (inside / "pyproject.toml").touch()
    assert context_of(inside / "utils.py") == {"own.py", "own_link.py"} if not marked else {"own.py"}


def test_the_project_of_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "repository/part/package"
    inner.mkdir(parents=True)
    assert project_around(str(inner)) is None
    (tmp_path / "repository/part/setup.py").touch()
    (tmp_path / "pyproject.toml").touch()
    assert project_around(str(inner)) == str(tmp_path / "repository/part")
    (tmp_path / "repository/.git").touch()
    assert project_around(str(inner)) == str(tmp_path / "repository"), "a repository is one project"
    monkeypatch.setenv("HOME", str(tmp_path / "repository"))
    assert project_around(str(inner)) == str(tmp_path / "repository/part"), "dotfiles are no project"
    assert package_parent(str(inner)) == str(inner)
    (inner / "__init__.py").touch()
    assert package_parent(str(inner)) == str(inner.parent)


def many_files(count: int) -> dict[str, str]:
    return {f"pkg/user_{number:03}.py": "import torch\nfrom pkg.utils import log\n" for number in range(count)}


def test_the_bounds_hold(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_project(project, many_files(40))
    monkeypatch.setattr(import_graph, "MOST_WHOLE", 0)
    monkeypatch.setattr(import_graph, "MOST_FILES", 10)
    assert judged("pkg/utils.py").context_files == 10
    monkeypatch.setattr(import_graph, "MOST_FILES", 100)
    monkeypatch.setattr(import_graph, "MOST_BYTES", len(ENGINE) + 200)
    assert 1 < judged("pkg/utils.py").context_files < 10
    monkeypatch.setattr(import_graph, "MOST_BYTES", len(ENGINE) + 10)
    assert judged("pkg/utils.py").context_files == 1, "and none that does not fit"
    monkeypatch.setattr(project_files, "MOST_FILES", 5)
    assert judged("pkg/utils.py").context_files <= 5
    monkeypatch.setattr(project_files, "MOST_BYTES", 0)
    assert judged("pkg/utils.py").context_files == 0


def test_of_a_large_project_the_nearest_directories_are_read(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_project(project, {f"a{number}/b/c/d.py": "import torch\n" for number in range(9)})
    monkeypatch.setattr(project_files, "MOST_FILES", 3)
    assert context_of(project / "pkg/utils.py") == {"__init__.py", "engine.py"}


def test_a_run_as_pre_commit_makes_it(project: Path) -> None:
    write_project(project, many_files(12))
    whole = judged(".").report.findings
    named = [*many_files(12), "pkg/utils.py", "pkg/engine.py"]
    random.Random(7).shuffle(named)
    some = judged(*named).report.findings
    assert some == tuple(finding for finding in whole if finding.path in named)
    assert some


def test_in_a_large_project_tests_tell_nothing_of_what_they_call_and_take_no_room(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_graph, "MOST_WHOLE", 0)
    calls = FILES["scripts/train.py"].replace("main", "test_it")
    write_project(project, {f"tests/test_{number}.py": calls for number in range(8)})
    assert judged("pkg/utils.py").context_files == 2
    assert judged("tests/test_1.py").context_files == 2
