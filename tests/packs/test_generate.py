"""docs/generate.py: the generated pages are proved fresh, and gone rules leave no page."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.report.toys import RULES, BlockingBatchCopy
from trainlint.symptoms import Symptom

REPOSITORY = Path(__file__).resolve().parents[2]


def load() -> ModuleType:
    """The script, which is no part of any package."""
    spec = importlib.util.spec_from_file_location("generate", REPOSITORY / "docs/generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = load()


def test_pages_indexes_and_tables_are_made_from_the_rules() -> None:
    files = generate.pages(reversed(RULES))
    assert list(files) == [
        "docs/rules/item-in-training-step.md",
        "docs/rules/blocking-batch-copy.md",
        "docs/rules/README.md",
    ]
    assert "# item-in-training-step (TRN201)" in files["docs/rules/item-in-training-step.md"]
    assert "[blocking-batch-copy](./blocking-batch-copy.md)" in files["docs/rules/README.md"]
    assert all(text.endswith("\n") and "\n\n\n" not in text for text in files.values())


def test_the_list_says_which_findings_the_probe_can_confirm() -> None:
    class Measured(BlockingBatchCopy):
        __doc__ = BlockingBatchCopy.__doc__
        confirmed_by = frozenset({Symptom.HOST_SYNC})

    assert " no |\n" in generate.pages([BlockingBatchCopy])["docs/rules/README.md"]
    assert " yes |\n" in generate.pages([Measured])["docs/rules/README.md"]


def test_one_table_has_all_rules_with_what_readers_said_of_them() -> None:
    text = generate.all_rules(RULES, {"TRN201": "0.94 (17/18)", "TRN205": ""}.__getitem__)["docs/all-rules.md"]
    assert text.count("\n| TRN") == len(RULES)
    assert "[item-in-training-step](rules/item-in-training-step.md)" in text
    assert "| warning | yes | unsafe | 0.94 (17/18) |\n" in text
    assert "| advice | preview | safe |  |\n" in text


def test_first_contact_precision_comes_from_the_rounds() -> None:
    precision = generate.first_contact()
    assert re.fullmatch(r"[01]\.\d\d \(\d+/\d+\)", precision("TRN201"))
    assert precision("TRN999") == ""


def test_what_was_written_is_fresh(tmp_path: Path) -> None:
    files = generate.pages(RULES)
    assert len(generate.write(tmp_path, files)) == 3
    assert generate.differences(tmp_path, files) == []
    assert generate.write(tmp_path, files) == []


def test_stale_missing_and_orphaned_pages_are_named(tmp_path: Path) -> None:
    generate.write(tmp_path, generate.pages(RULES))
    (tmp_path / "docs/rules/README.md").write_text("by hand\n", encoding="utf-8")
    (tmp_path / "docs/rules/blocking-batch-copy.md").unlink()
    assert generate.differences(tmp_path, generate.pages([BlockingBatchCopy])) == [
        "docs/rules/blocking-batch-copy.md is missing",
        "docs/rules/README.md is stale",
        "docs/rules/item-in-training-step.md is orphaned: no rule has this name",
    ]


def test_writing_removes_pages_of_rules_that_are_gone(tmp_path: Path) -> None:
    generate.write(tmp_path, generate.pages(RULES))
    files = generate.pages([BlockingBatchCopy])
    assert "removed docs/rules/item-in-training-step.md" in generate.write(tmp_path, files)
    assert generate.differences(tmp_path, files) == []


def test_check_exits_with_1_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Own(BlockingBatchCopy):
        __doc__ = BlockingBatchCopy.__doc__
        __module__ = "trainlint_rules.sync.blocking_batch_copy"

    monkeypatch.setattr(generate, "REPOSITORY", tmp_path)
    monkeypatch.setattr(generate, "load_rules", lambda: (*RULES, Own))
    assert generate.main(["--check"]) == 1
    assert "docs/rules/blocking-batch-copy.md is missing" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
    assert not (tmp_path / "docs/rules/item-in-training-step.md").exists()  # a rule of another pack
