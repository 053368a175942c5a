"""Memory does not grow with all that was linked: only one group's summaries are there as objects at a time."""

from __future__ import annotations

import ast
import gc
from importlib import import_module
from pathlib import Path

import pytest

from tests.cache.project import opened
from tests.engine.linked_project import ENGINE, TRAIN, UTILS, findings_in, judged, write_project
from trainlint.analysis.project import neighbours
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.cache.cache import Cache
from trainlint.catalogue import installed_rules
from trainlint.config import Config
from trainlint.engine import workers
from trainlint.engine.configurations import Configurations, Selection
from trainlint.engine.discover import Target
from trainlint.engine.index.project_files import Member, ProjectFiles
from trainlint.engine.index.project_index import build_index
from trainlint.engine.index.summarising import summarise_file
from trainlint.engine.pool.model_store import MOST_KEPT, ModelStore, bound_for
from trainlint.engine.pool.tasks import LocalExecutor
from trainlint.engine.work import Job, Outcome, judge_and_fix
from trainlint.source import SourceFile

PROJECTS = ("one", "two", "three")
FILES = {
    f"{project}/{name}": text.replace("from pkg.", f"from {project}.")
    for project in PROJECTS
    for name, text in {"__init__.py": "", "utils.py": UTILS, "engine.py": ENGINE, "train.py": TRAIN}.items()
}


@pytest.fixture
def projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three projects that know nothing of each other, as the working directory."""
    monkeypatch.chdir(write_project(tmp_path / "projects", FILES))
    return tmp_path / "projects"


def summaries_alive() -> int:
    """How many summaries there are in this process as objects."""
    gc.collect()
    return sum(isinstance(each, Summary) for each in gc.get_objects())


def alive_while_linking(projects: Path, monkeypatch: pytest.MonkeyPatch, cache: Cache | None = None) -> list[int]:
    """How many summaries there are each time a group is linked, in a run that has no room for models."""
    module = import_module("trainlint.analysis.project.linking")
    link = module.link
    alive = []

    def watched(*arguments: object, **options: object) -> object:
        alive.append(summaries_alive())
        return link(*arguments, **options)

    monkeypatch.setattr(module, "link", watched)
    members = [Member(path, path.name, path.stat().st_size, Config()) for path in sorted(projects.rglob("*.py"))]
    files = ProjectFiles(members, Configurations(installed_rules()), (projects,))
    before = summaries_alive()
    index = build_index(files, LocalExecutor(kept=0), cache)
    assert index.failures == ()
    assert any(facts.uses is not None for facts in index.imported_facts.values())
    assert summaries_alive() == before
    return [found - before for found in alive]


def test_one_group_is_unpacked_at_a_time(projects: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert alive_while_linking(projects, monkeypatch) == [3, 3, 3]


@pytest.mark.nightly
@pytest.mark.slow
def test_one_group_is_unpacked_at_a_time_where_the_cache_has_the_summaries(
    projects: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = opened()
    assert alive_while_linking(projects, monkeypatch, cache) == [3, 3, 3]
    cache.save()
    for project in PROJECTS:  # in each group one file has changed, so the other two come from the cache
        (projects / project / "utils.py").write_text(
            UTILS + "\n\ndef other(loss):\n    return loss\n", encoding="utf-8"
        )
    again = opened()
    assert alive_while_linking(projects, monkeypatch, again) == [3, 3, 3]
    assert again.recalled.summaries == (6, 9)


def test_without_room_for_models_the_findings_are_the_same(projects: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    roomy = judged(".")
    assert [len(findings_in(roomy, f"{project}/utils.py")) for project in PROJECTS] == [1, 1, 1]
    monkeypatch.setattr(workers, "bound_for", lambda total: 0)
    for count in (1, 2):
        assert judged(".", workers=count).report == roomy.report


def test_too_large_a_group_is_linked_directory_by_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_project(tmp_path / "project"))
    assert findings_in(judged("."))
    monkeypatch.setattr(neighbours, "MOST_BYTES", 100)
    found = judged(".")
    assert findings_in(found) == [], "the loop stands in another directory"
    assert found.report.failures == ()


def test_the_more_files_a_run_has_the_fewer_models_it_keeps() -> None:
    sizes = [0, 1_000_000, 30_000_000, 60_000_000, 120_000_000, 400_000_000]
    bounds = [bound_for(size) for size in sizes]
    assert bounds[:3] == [MOST_KEPT] * 3
    assert bounds[2:] == sorted(set(bounds[2:]), reverse=True)
    assert bounds[-1] <= MOST_KEPT // 10


def test_what_linking_needed_is_free_without_the_garbage_collector(
    projects: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = [Member(path, path.name, path.stat().st_size, Config()) for path in sorted(projects.rglob("*.py"))]
    before = summaries_alive()
    gc.disable()
    try:
        index = build_index(
            ProjectFiles(members, Configurations(installed_rules()), (projects,)), LocalExecutor(kept=0), None
        )
        alive = sum(isinstance(each, Summary) for each in gc.get_objects())
    finally:
        gc.enable()
    assert index.imported_facts
    assert alive == before


def test_a_released_model_is_free_without_the_garbage_collector() -> None:
    text = "class Net:\n    def forward(self, x):\n        return x\n"
    source = SourceFile("models.py", text + text)
    gc.collect()
    before = sum(isinstance(each, ast.ClassDef) for each in gc.get_objects())
    gc.disable()
    try:
        model = SemanticModel(source, ast.parse(source.text), Config())
        assert len(model.outline.functions) == 2
        model.release()
        del model
        assert sum(isinstance(each, ast.ClassDef) for each in gc.get_objects()) == before
    finally:
        gc.enable()


def test_of_a_summarised_file_only_what_judging_it_needs_is_kept(projects: Path) -> None:
    store = ModelStore(MOST_KEPT)
    path = projects / "one/train.py"
    assert summarise_file(Member(path, "train.py", path.stat().st_size, Config()), store).summary is not None
    kept = store.take(path)
    assert kept is not None
    assert "outline" in vars(kept)
    assert "kinds" not in vars(kept)


def test_of_a_file_in_which_nothing_can_be_found_no_tree_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "helper.py"
    path.write_text("def due(step, every):\n    return step % every == 0\n", encoding="utf-8")
    store = ModelStore(MOST_KEPT)
    assert summarise_file(Member(path, "helper.py", path.stat().st_size, Config()), store).summary is not None
    kept = store.take(path)
    assert kept is not None
    assert set(vars(kept)) == {"source"}
    job = Job(Target(path, "helper.py", path.stat().st_size), (), Selection(Config(), (), ()))
    assert judge_and_fix(job, model=kept) == Outcome()
