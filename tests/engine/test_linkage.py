"""Linking: whatever goes wrong in it, each file is judged; and however the work is done, the findings are the same."""

from __future__ import annotations

import os
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from tests.engine.linked_project import findings_in, judged, write_project
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.engine.index import executing, summarising
from trainlint.engine.index.project_files import Member
from trainlint.engine.index.summarising import summarise_file
from trainlint.engine.index.summary_result import SummaryResult
from trainlint.engine.pool.model_store import ModelStore
from trainlint.engine.time_limit import time_limit
from trainlint.interpreter import operations


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The linked project, as the working directory."""
    monkeypatch.chdir(write_project(tmp_path / "project"))
    return tmp_path / "project"


def test_processes_and_kept_models_change_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = judged(".")
    assert findings_in(one)
    for workers in (2, 3):
        assert judged(".", workers=workers).report == one.report
    monkeypatch.setattr(ModelStore, "take", lambda *arguments: None)
    for workers in (1, 2):
        assert judged(".", workers=workers).report == one.report
    named = judged("pkg/utils.py", "pkg/engine.py")
    assert named.report == judged("pkg/engine.py", "pkg/utils.py", workers=2).report


def test_only_models_of_files_that_are_judged_are_kept(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Path] = []

    def watched(store: ModelStore, path: Path, model: SemanticModel, size: int) -> None:
        kept.append(path)

    monkeypatch.setattr(ModelStore, "put", watched)
    judged("pkg/utils.py")
    assert kept == [project / "pkg/utils.py"]


def test_a_crash_in_linking_is_told_once_and_each_file_is_judged_alone(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*arguments: object, **more: object) -> None:
        raise LookupError("no such thing")

    # `trainlint.analysis.project.linking` as an attribute is the function of that name, not the module.
    monkeypatch.setattr(import_module("trainlint.analysis.project.linking"), "link", crash)
    for path, workers, files in ((".", 1, 4), (".", 2, 4), ("pkg/utils.py", 1, 1)):
        found = judged(path, workers=workers)
        (failure,) = found.report.failures
        assert "could not be linked, so most rules judged each file alone: trainlint failed" in failure.reason
        assert failure.path == ("scripts/train.py" if path == "." else path), "the largest judged file that takes part"
        assert found.report.files == files
        assert [item.code for item in findings_in(found)] == ["TRN201"], "the files are executed together all the same"


def test_a_malformed_summary_costs_the_linking_and_no_more(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = summarising._summary

    def malformed(model: object) -> Summary | None:
        found = summary(model)  # type: ignore[arg-type]
        return replace(found, imports=frozenset({None})) if found is not None else None  # type: ignore[arg-type]

    monkeypatch.setattr(summarising, "_summary", malformed)
    found = judged(".")
    assert len(found.report.failures) == 1
    assert found.report.files == 4


def test_a_file_that_cannot_be_summarised_takes_no_part(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summarising, "_summary", lambda model: None)
    found = judged(".")
    assert found.report.failures == ()
    assert [item.code for item in findings_in(found)] == ["TRN201"], "it is executed with the others all the same"


def test_a_crash_of_the_abstract_run_is_told_and_other_rules_are_asked(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*arguments: object, **more: object) -> None:
        raise LookupError("no such thing")

    monkeypatch.setattr(operations, "run_project", crash)
    for workers in (1, 2):
        found = judged(".", workers=workers)
        (failure,) = found.report.failures
        assert failure.path == "scripts/train.py"
        assert failure.reason.startswith(
            "what it and the 2 files around it do in training steps is not known, and rules about that were not asked: "
            "trainlint failed on it (LookupError: no such thing)"
        )
        assert found.report.files == 4


def test_the_abstract_run_has_a_time_limit(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*arguments: object, **more: object) -> None:
        while True:
            pass

    monkeypatch.setattr(operations, "run_project", endless)
    monkeypatch.setattr(executing, "time_limit", lambda seconds: time_limit(seconds / 200))
    found = judged(".")
    (failure,) = found.report.failures
    assert failure.path == "scripts/train.py"
    assert "were not asked: it took more than" in failure.reason
    assert found.report.files == 4


def _dying(member: Member, store: ModelStore) -> SummaryResult:
    if member.path.name == "engine.py":
        os._exit(3)
    return summarise_file(member, store)


def test_a_worker_that_dies_while_summarising_costs_one_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = judged(".")
    monkeypatch.setattr(summarising, "summarise_file", _dying)
    found = judged(".", workers=2)
    (failure,) = found.report.failures
    assert (failure.path, "died (exit code 3)" in failure.reason) == ("pkg/engine.py", True)
    assert found.report.files == 3
    assert findings_in(found) == []
    assert findings_in(whole)


_ALONE = """
import torch


class Net(torch.nn.Module):
    def forward(self, images):
        print(images.mean().item())
        return images.sum()


def fit(net, loader, optimizer):
    for images in loader:
        optimizer.zero_grad()
        loss = net(images.cuda(non_blocking=True))
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    fit({net}, loader, optimizer)
"""


@pytest.mark.parametrize("others", [{}, {"other.py": "import torch\n"}], ids=["one file", "beside another"])
def test_a_file_on_its_own_knows_what_its_calls_of_objects_run(tmp_path: Path, others: dict[str, str]) -> None:
    script = _ALONE.format(net="Net().cuda()")
    project = write_project(tmp_path, {"script.py": script, **others}, repository=False)
    assert "TRN201" in {finding.code for finding in judged(project).report.findings}


def test_a_file_without_a_word_of_torch_is_judged_where_what_it_imports_trains(tmp_path: Path) -> None:
    files = {
        "base.py": "import torch\n\n\nclass Base(torch.nn.Module):\n    pass\n",
        "net.py": """
from base import Base


class Net(Base):
    def forward(self, images):
        loss = images.mean()
        self.seen = loss.item()
        return loss
""",
        "train.py": """
import torch

from net import Net

net = Net().cuda()
for images in train_loader:
    loss = net(images.cuda(non_blocking=True))
    loss.backward()
    optimizer.step()
""",
        "log.py": "def log(loss):\n    print(loss.item())\n",
    }
    project = write_project(tmp_path, files)
    assert {Path(each.path).name for each in judged(project).report.findings if each.code == "TRN201"} == {"net.py"}
    assert [each.code for each in judged(project / "net.py").report.findings] == ["TRN201"]
    assert judged(project / "log.py").report.findings == ()


def test_a_file_on_its_own_is_told_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one.py").write_text("import torch\n")
    monkeypatch.chdir(tmp_path)
    assert judged("one.py").context_files == 0
