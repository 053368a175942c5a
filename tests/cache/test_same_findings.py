"""Whatever changes between two runs, a run with a cache says what a run without says."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cache.project import CACHE, age, opened, run_over, write_project
from tests.engine.linked_project import ENGINE, TRAIN, UTILS
from trainlint.analysis.project.linking import link
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.types.imported_facts import ImportedFacts
from trainlint.cache.cache import Recalled
from trainlint.config import Overrides
from trainlint.engine.rewriting import Fixing
from trainlint.engine.run import Run
from trainlint.finding import Safety

COLD_TRAIN = """\
import torch

from pkg.engine import run_step


def main(model, optimizer, criterion, batch, device):
    run_step(model, optimizer, criterion, batch[0], batch[1], 0)
"""


def checked(*paths: str, overrides: Overrides | None = None, workers: int = 1) -> tuple[Run, Recalled]:
    """A run with the cache, which says what a run without it says, and how much of it was known."""
    cache = opened()
    found = run_over(*paths, cache=cache, overrides=overrides, workers=workers)
    alone = run_over(*paths, overrides=overrides)
    assert (found.report, found.failing, found.context_files) == (alone.report, alone.failing, alone.context_files)
    assert not cache.trouble
    return found, cache.recalled


def in_utils(found: Run) -> int:
    return sum(finding.path == "pkg/utils.py" for finding in found.report.findings)


def test_an_unchanged_project_is_known_as_a_whole(project: Path) -> None:
    first, recalled = checked()
    assert in_utils(first) == 1
    assert recalled == Recalled(summaries=(0, 3), outcomes=(0, 4))
    assert checked()[1] == Recalled(whole=True)
    assert checked(workers=2)[1].whole


def test_an_edit_costs_one_summary_and_what_it_changes(project: Path) -> None:
    checked()
    train = project / "scripts/train.py"
    train.write_text(train.read_text() + "\n# no news\n")
    found, recalled = checked()
    assert recalled == Recalled(summaries=(2, 3), outcomes=(3, 4))
    assert in_utils(found) == 1


def test_an_edit_links_only_the_files_that_work_with_the_edited_one(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = {"other/train.py": TRAIN, "other/engine.py": ENGINE, "other/utils.py": UTILS}
    write_project(project, {name: text.replace("pkg.", "") for name, text in beside.items()})
    assert checked()[1].summaries == (0, 6)
    linked: list[list[str]] = []

    def noted(summaries: Sequence[Summary], paths: Sequence[Path], *rest: Any, **more: Any) -> list[ImportedFacts]:
        linked.append([path.relative_to(project).as_posix() for path in paths])
        return link(summaries, paths, *rest, **more)

    monkeypatch.setattr("trainlint.analysis.project.linking.link", noted)
    train = project / "other/train.py"
    train.write_text("import os\n" + train.read_text())
    cache = opened()
    found = run_over(cache=cache)
    assert linked == [["other/engine.py", "other/train.py", "other/utils.py"]]
    assert cache.recalled.summaries == (5, 6)
    assert found.report == run_over().report


def test_an_edit_changes_a_finding_in_another_file(project: Path) -> None:
    train = project / "scripts/train.py"
    hot = train.read_text()
    for text, expected in ((hot, 1), (COLD_TRAIN, 0), (hot, 1), (COLD_TRAIN, 0)):
        train.write_text(text)
        assert in_utils(checked()[0]) == expected


def test_a_state_that_was_seen_before_is_known_again(project: Path) -> None:
    train = project / "scripts/train.py"
    hot = train.read_text()
    checked()
    train.write_text(COLD_TRAIN)
    checked()
    train.write_text(hot)
    assert checked()[1].whole


def test_files_come_go_and_move(project: Path) -> None:
    checked()
    (project / "scripts/other.py").write_text(COLD_TRAIN)
    assert not checked()[1].whole
    (project / "scripts/train.py").unlink()
    assert in_utils(checked()[0]) == 0
    (project / "scripts/other.py").rename(project / "scripts/train.py")
    assert in_utils(checked()[0]) == 0
    (project / "pkg/utils.py").rename(project / "pkg/tools.py")
    checked()


def test_a_neighbour_that_changes_counts(project: Path) -> None:
    assert in_utils(checked("pkg/utils.py")[0]) == 1
    assert checked("pkg/utils.py")[1].whole
    (project / "scripts/train.py").write_text(COLD_TRAIN)
    found, recalled = checked("pkg/utils.py")
    assert in_utils(found) == 0
    assert recalled.summaries == (2, 3)


def test_summaries_serve_whatever_files_are_named(project: Path) -> None:
    checked("pkg/utils.py")
    assert checked()[1].summaries == (3, 3)


@pytest.mark.parametrize(
    "settings",
    [
        'ignore = ["TRN201"]',
        'cold = ["run_step"]',
        'min-confidence = "certain"',
        'exclude = ["scripts"]',
        'target-torch = "2.2"',
        '[severity]\nTRN201 = "error"',
        '[per-file-ignores]\n"pkg/*" = ["TRN201"]',
        'fail-on = "error"',
    ],
)
def test_settings_that_change_count(project: Path, settings: str) -> None:
    checked()
    (project / "trainlint.toml").write_text(settings)
    assert not checked()[1].whole
    assert checked()[1].whole
    (project / "trainlint.toml").unlink()
    assert checked()[1].whole


def test_what_the_command_line_sets_counts(project: Path) -> None:
    checked()
    ignoring = Overrides(ignore=("TRN201",))
    found, recalled = checked(overrides=ignoring)
    assert in_utils(found) == 0
    assert recalled.summaries == (3, 3), "no summary hangs on which rules run"
    assert checked(overrides=ignoring)[1].whole


def test_another_working_directory_counts(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checked()
    directory = (project / CACHE).absolute()
    monkeypatch.chdir(project / "pkg")
    cache = opened(directory)
    assert run_over("..", cache=cache).report == run_over("..").report
    assert not cache.recalled.whole


def test_another_version_of_trainlint_counts(project: Path) -> None:
    checked()
    cache = opened()
    cache.fingerprint = "another"
    assert run_over(cache=cache).report == run_over().report
    assert cache.recalled == Recalled(summaries=(0, 3), outcomes=(0, 4))


def test_a_file_that_is_no_python_is_known_to_be_none(project: Path) -> None:
    (project / "pkg/broken.py").write_text("import torch\n\ndef f(:\n")
    found, _ = checked()
    assert [failure.path for failure in found.report.failures] == ["pkg/broken.py"]
    assert checked()[1].whole


def test_what_may_go_well_another_time_is_not_kept(project: Path) -> None:
    deep = "import torch\nx = " + "-" * 5_000 + "1\n"
    (project / "pkg/deep.py").write_text(deep)
    found, _ = checked()
    assert found.report.failures
    found, recalled = checked()
    assert found.report.failures
    assert not recalled.whole
    assert recalled.outcomes == (4, 5)


def test_an_unreadable_file_is_no_result(project: Path) -> None:
    (project / "pkg/loop.py").symlink_to("loop.py")
    checked()
    (project / "pkg/loop.py").unlink()
    (project / "pkg/large.py").write_bytes(b"#" * 5_000_001)
    found, _ = checked()
    assert [failure.path for failure in found.report.failures] == ["pkg/large.py"]
    assert not checked()[1].whole


def test_fixes_are_made_afresh_and_their_result_is_seen(project: Path) -> None:
    old = project / "pkg/old.py"
    (project / "requirements.txt").write_text("torch>=2.4\n")
    old.write_text("import torch\n\nscaler = torch.cuda.amp.GradScaler()\n")
    before, _ = checked()
    assert any(finding.fix for finding in before.report.findings)
    cache = opened()
    fixed = run_over(cache=cache, fixing=Fixing(Safety.SAFE))
    assert fixed.report.fixed == 1
    assert "torch.amp.GradScaler" in old.read_text()
    after, _ = checked()
    assert len(after.report.findings) == len(before.report.findings) - 1


def test_what_a_run_with_fixes_learns_of_other_files_is_kept(project: Path) -> None:
    cache = opened()
    run_over(cache=cache, fixing=Fixing(Safety.SAFE, write=False))
    assert checked()[1].summaries == (3, 3)


def test_a_change_during_the_run_is_not_taken_for_what_was_judged(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is hashed, then another program writes it, then it is judged: the findings are of no known content."""
    from trainlint.engine import cache_keys

    train = project / "scripts/train.py"
    hot = train.read_text()
    key_of_run = cache_keys.key_of_run

    def hashed_and_then_written(*arguments: object) -> bytes | None:
        key = key_of_run(*arguments)  # type: ignore[arg-type]
        train.write_text(COLD_TRAIN)
        return key

    with monkeypatch.context() as patch:
        patch.setattr(cache_keys, "key_of_run", hashed_and_then_written)
        cache = opened()
        assert in_utils(run_over(cache=cache)) == 0
    train.write_text(hot)
    assert in_utils(checked()[0]) == 1


def test_an_edit_of_the_same_size_within_one_tick_is_seen(project: Path) -> None:
    train = project / "scripts/train.py"
    times = train.stat().st_atime_ns, train.stat().st_mtime_ns
    checked()
    train.write_text(train.read_text().replace("inputs.to(device)", "inputs.to(devise)"))
    os.utime(train, ns=times)
    assert not checked()[1].whole


def test_an_old_file_is_not_read_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    age(project)
    checked()
    # Its times of change are of now: they are believed from the third run on, once the clock has clearly moved on.
    monkeypatch.setattr("trainlint.cache.stamps._CLEARLY", 0)
    checked()
    monkeypatch.setattr("trainlint.cache.stamps._read", lambda path, stamp: pytest.fail(f"{path} is read again"))
    cache = opened()
    run_over(cache=cache)
    assert cache.recalled.whole


def test_a_module_in_another_language_that_is_built_later_is_noticed(project: Path) -> None:
    """A file that imports a module which its package lacks is run by nobody, and no fix is offered there."""
    utils = project / "pkg/utils.py"
    utils.write_text(f"from pkg.compiled import fast\n{utils.read_text()}")
    before, _ = checked()
    assert checked()[1].whole
    (project / "pkg/compiled.cpython-311-x86_64-linux-gnu.so").touch()
    after, recalled = checked()
    assert not recalled.whole
    assert before.sought_modules == {(str(project / "pkg"), "compiled"): False}
    assert after.sought_modules == {(str(project / "pkg"), "compiled"): True}
    assert checked()[1].whole
