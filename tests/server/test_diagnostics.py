"""What an editor shows of open documents: the real server on one side, pytest-lsp on the other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lsprotocol import types as lsp
from pytest_lsp import client_capabilities

from tests.engine.linked_project import ENGINE, TRAIN, UTILS
from tests.server.conftest import started
from trainlint.baseline.identity import Identities
from trainlint.bounded import SOURCE_BYTES
from trainlint.finding import Finding, Severity, Span
from trainlint.source import source_from_text

if TYPE_CHECKING:
    from tests.server.editor import Editor

pytestmark = pytest.mark.asyncio

CLEAN = UTILS.replace("loss.item()", "step")
ALONE = """\
import torch

name = "\N{FIRE}"; scaler = torch.cuda.amp.GradScaler()
"""
"""A finding that needs no other file, behind a sign of two units of UTF-16."""


async def test_a_finding_comes_with_all_that_an_editor_can_show(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg/utils.py", UTILS)
    [found] = await editor.codes(uri, "TRN201")
    assert found.range == lsp.Range(lsp.Position(4, 16), lsp.Position(4, 27))
    assert found.severity is lsp.DiagnosticSeverity.Warning
    assert found.source == "trainlint"
    source = source_from_text("pkg/utils.py", UTILS)
    finding = Finding("TRN201", "", "pkg/utils.py", Span(5, 17, 5, 28), "", Severity.WARNING)
    assert found.data == {"id": Identities(lambda path: source, str(project)).id_of(finding)}
    assert found.code_description is not None
    assert found.code_description.href.endswith("/docs/rules/item-in-training-step.md")
    assert found.message.startswith("`loss.item()` forces a GPU sync in every training step; ")
    places = [
        (each.location.uri, each.location.range.start.line, each.message) for each in found.related_information or ()
    ]
    assert places == [
        ((project / "pkg/engine.py").as_uri(), 10, "calls `log` in every training step"),
        ((project / "scripts/train.py").as_uri(), 7, "calls `run_step` in every training step"),
    ]


async def test_pointing_at_a_finding_shows_why_and_the_page(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg/utils.py", UTILS)
    await editor.codes(uri, "TRN201")
    shown = await editor.hover(uri, 4, 20)
    assert shown is not None
    assert isinstance(shown.contents, lsp.MarkupContent)
    assert "**TRN201** item-in-training-step" in shown.contents.value
    assert "scripts/train.py:7: for step, (inputs, targets) in enumerate(train_loader)" in shown.contents.value
    assert "the CPU waits until the GPU has computed it" in shown.contents.value
    assert "docs/rules/item-in-training-step.md" in shown.contents.value
    assert await editor.hover(uri, 0, 3) is None


async def test_what_is_typed_counts_before_it_is_saved(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg/utils.py", CLEAN)
    await editor.codes(uri)
    editor.type(uri, "\n" + UTILS)
    [found] = await editor.codes(uri, "TRN201")
    assert found.range.start.line == 5
    editor.type(uri, CLEAN)
    await editor.codes(uri)
    assert (project / "pkg/utils.py").read_text() == UTILS


async def test_what_is_typed_in_one_file_shows_in_the_other_open_ones(editor: Editor, project: Path) -> None:
    utils = editor.open(project / "pkg/utils.py", UTILS)
    engine = editor.open(project / "pkg/engine.py", ENGINE)
    await editor.codes(utils, "TRN201")
    editor.type(engine, ENGINE.replace("    log(loss, step)\n", ""))
    await editor.codes(utils)
    editor.type(engine, ENGINE)
    await editor.codes(utils, "TRN201")
    editor.type(engine, ENGINE.replace("    log(loss, step)\n", ""))
    await editor.codes(utils)
    editor.close(engine)  # without saving: the file on disk counts again
    await editor.codes(utils, "TRN201")


async def test_only_the_last_of_many_changes_is_shown_in_the_end(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg/utils.py", CLEAN)
    await editor.codes(uri)
    for number in range(40):
        editor.type(uri, "\n" * number + UTILS)
    [found] = await editor.shown(uri, lambda shown: shown and shown[0].range.start.line == 43)
    assert found.code == "TRN201"


async def test_findings_that_one_change_cures_name_each_other(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg/utils.py", UTILS.replace("loss.item()", "loss.item() + loss.item()"))
    first, second = await editor.codes(uri, "TRN201", "TRN201")
    for found, other in ((first, second), (second, first)):
        places = [each.location.range.start for each in found.related_information or ()]
        assert other.range.start in places


async def test_a_change_on_disk_is_noticed_when_the_editor_tells(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg/utils.py", UTILS)
    await editor.codes(uri, "TRN201")
    (project / "scripts/train.py").write_text(TRAIN.replace("        run_step(", "    run_step("))
    editor.changed_on_disk(project / "scripts/train.py")
    await editor.codes(uri)
    (project / "scripts/train.py").unlink()
    (project / "scripts/other.py").write_text(TRAIN)
    editor.changed_on_disk(project / "scripts/train.py", project / "scripts/other.py")
    [found] = await editor.codes(uri, "TRN201")
    assert found.related_information is not None
    assert found.related_information[1].location.uri == (project / "scripts/other.py").as_uri()


async def test_a_change_on_disk_is_noticed_when_something_is_saved(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg/utils.py", UTILS)
    await editor.codes(uri, "TRN201")
    (project / "pkg/engine.py").write_text(ENGINE.replace("    log(loss, step)\n", ""))
    editor.save(uri)
    await editor.codes(uri)


async def test_settings_are_those_of_the_project_and_changes_count(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg/utils.py", UTILS)
    await editor.codes(uri, "TRN201")
    (project / "pyproject.toml").write_text('[tool.trainlint.severity]\nTRN201 = "error"\n')
    editor.changed_on_disk(project / "pyproject.toml")
    await editor.shown(uri, lambda found: found and found[0].severity is lsp.DiagnosticSeverity.Error)
    (project / "pyproject.toml").write_text('[tool.trainlint]\nignore = ["TRN201"]\n')
    editor.changed_on_disk(project / "pyproject.toml")
    await editor.codes(uri)


async def test_a_wrong_configuration_is_one_sentence(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg/utils.py", UTILS)
    other = editor.open(project / "pkg/engine.py", ENGINE)
    await editor.codes(uri, "TRN201")
    (project / "pyproject.toml").write_text('[tool.trainlint]\nselect = ["TRN999"]\n')
    editor.changed_on_disk(project / "pyproject.toml")
    [found] = await editor.shown(uri, lambda found: found and found[0].code is None)
    assert found.range.start == lsp.Position(0, 0)
    assert "TRN999" in found.message
    await editor.shown(other, lambda found: found and found[0].code is None)
    await editor.until(lambda: bool(editor.client.messages))
    [told] = [each.message for each in editor.client.messages]
    assert told.startswith("trainlint: pyproject.toml:2: ")
    (project / "pyproject.toml").write_text("[tool.trainlint]\n")
    editor.changed_on_disk(project / "pyproject.toml")
    await editor.codes(uri, "TRN201")


async def test_a_file_that_is_no_python_says_so_at_its_line(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg/utils.py", UTILS)
    await editor.codes(uri, "TRN201")
    editor.type(uri, UTILS.replace("print(", "print(("))
    [found] = await editor.codes(uri, "TRN001")
    assert found.range.start.line == 4
    assert "syntax error in Python" in found.message


async def test_a_document_of_any_size_is_one_sentence_and_the_others_are_judged(editor: Editor, project: Path) -> None:
    large = "#" * SOURCE_BYTES + "\n"
    uri = editor.open(project / "pkg/data.py", large)
    [found] = await editor.shown(uri, len)
    assert found.message.startswith("trainlint could not judge this: it is larger than 5 MB")
    await editor.codes(editor.open(project / "pkg/utils.py", UTILS), "TRN201")
    editor.type(uri, ALONE)
    await editor.shown(uri, lambda shown: [each.code for each in shown] == ["TRN801"])
    editor.type(uri, ALONE + large)
    [found] = await editor.shown(uri, lambda shown: shown and shown[0].code is None)
    assert found.message.startswith("trainlint could not judge this: it is larger than 5 MB")


async def test_columns_are_counted_in_utf_16(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg/alone.py", ALONE)
    [found] = await editor.codes(uri, "TRN801")
    line = ALONE.splitlines()[2]
    start = len(line[: line.index("torch")].encode("utf-16-le")) // 2
    assert found.range.start == lsp.Position(2, start)
    assert list(found.tags or ()) == [lsp.DiagnosticTag.Deprecated]


async def test_a_form_feed_ends_no_line(editor: Editor, project: Path) -> None:
    # pygls splits lines there, so it must not put changed pieces of a text together.
    sync = editor.capabilities.text_document_sync
    assert isinstance(sync, lsp.TextDocumentSyncOptions)
    assert sync.change is lsp.TextDocumentSyncKind.Full
    uri = editor.open(project / "pkg/alone.py", f"x = 1\n\f\n{ALONE}")
    [found] = await editor.codes(uri, "TRN801")
    assert found.range.start.line == 4
    editor.type(uri, f"x = 1  # \x85 \u2028 \v\n\f\n\n{ALONE}")
    await editor.shown(uri, lambda found: found and found[0].range.start.line == 5)


async def test_a_comment_that_silences_nothing_is_faded_out(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg/alone.py", "import torch\n\nx = 1  # trainlint: ignore[TRN201] once\n")
    [found] = await editor.codes(uri, "TRN002")
    assert list(found.tags or ()) == [lsp.DiagnosticTag.Unnecessary]
    assert found.severity is lsp.DiagnosticSeverity.Information


async def test_a_new_file_is_judged_where_it_will_stand(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg/new.py", UTILS)
    await editor.codes(uri)
    engine = editor.open(project / "pkg/engine.py", ENGINE.replace("pkg.utils", "pkg.new"))
    await editor.codes(uri, "TRN201")
    editor.close(engine)
    deep = editor.open(project / "not/there/yet.py", ALONE)
    await editor.codes(deep, "TRN801")


async def test_a_document_without_a_file_is_judged_alone(editor: Editor) -> None:
    uri = editor.open("untitled:Untitled-1", ALONE)
    await editor.codes(uri, "TRN801")
    [fix, *_] = await editor.actions(uri, 2)
    assert 'torch.amp.GradScaler("cuda")' in await editor.chosen(fix)
    editor.type(uri, "import torch\n")
    await editor.codes(uri)


async def test_nothing_is_shown_of_a_closed_document(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg/alone.py", ALONE)
    await editor.codes(uri, "TRN801")
    editor.close(uri)
    await editor.codes(uri)
    assert await editor.actions(uri, 2) == []


async def test_a_file_that_is_deleted_stays_a_document(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg/utils.py", UTILS)
    await editor.codes(uri, "TRN201")
    (project / "pkg/utils.py").unlink()
    editor.changed_on_disk(project / "pkg/utils.py")
    editor.type(uri, f"\n{UTILS}")
    await editor.shown(uri, lambda found: found and found[0].range.start.line == 5)


@pytest.mark.parametrize("name", ["out.log", "venv/lib/old.py", "third_party/old.py", "plain.json"])
async def test_what_is_no_code_of_the_project_is_not_judged(editor: Editor, project: Path, name: str) -> None:
    (project / "pyproject.toml").write_text('[tool.trainlint]\nexclude = ["third_party"]\ntarget-torch = ">=2.4"\n')
    uri = editor.open(project / name, ALONE, language="python" if name.endswith(".py") else "plaintext")
    await editor.codes(uri)
    await editor.codes(editor.open(project / "old.py", ALONE), "TRN801")
    assert list(editor.client.diagnostics[uri]) == []


async def test_settings_of_deepspeed_are_judged(editor: Editor, project: Path) -> None:
    text = '{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3}, "wall_clock_breakdown": true}\n'
    uri = editor.open(project / "ds_config.json", text, language="json")
    await editor.shown(uri, lambda found: found and {each.code for each in found} == {"TRN520"})
    assert all("Ignore" not in action.title for action in await editor.actions(uri, 0))


async def test_each_project_has_its_own_settings(tmp_path: Path) -> None:
    for name, settings in (("one", ""), ("two", 'ignore = ["TRN801"]\n')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "trainlint.toml").write_text(settings)
    (tmp_path / "outside").mkdir()
    (tmp_path / "requirements.txt").write_text("torch>=2.4\n")
    folders = [tmp_path / "one", tmp_path / "two"]
    async for editor in started(client_capabilities("visual_studio_code"), folders):
        one = editor.open(tmp_path / "one/a.py", ALONE)
        two = editor.open(tmp_path / "two/a.py", ALONE)
        outside = editor.open(tmp_path / "outside/a.py", ALONE)
        await editor.codes(one, "TRN801")
        await editor.codes(two)
        await editor.codes(outside, "TRN801")


@pytest.mark.parametrize("marked", [True, False], ids=["a project", "a mere directory"])
async def test_no_module_of_the_project_is_imported(tmp_path: Path, *, marked: bool) -> None:
    """Not even where PYTHONPATH names it, and though the server learns of the project only when it has started."""
    # Nothing tells a directory that is no project, before a file of it is opened, from a library of the user's.
    early = ("asyncio", "cattrs", "lsprotocol", "platformdirs", "pygls", "yaml") if marked else ()
    for name in ("libcst", *early):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    if marked:
        (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "requirements.txt").write_text("torch>=2.4\n")
    variables = {"PYTHONPATH": str(tmp_path)}
    async for editor in started(client_capabilities("visual_studio_code"), [tmp_path], environment=variables):
        uri = editor.open(tmp_path / "alone.py", ALONE)
        await editor.codes(uri, "TRN801")
        [everything] = await editor.actions(uri, 0, only=["source.fixAll"])
        assert "torch.amp" in await editor.chosen(everything)
    assert not (tmp_path / "ran").exists()


async def test_nothing_is_run_and_nothing_written(editor: Editor, project: Path) -> None:
    trap = f"open({str(project / 'ran')!r}, 'w').close()\n"
    for name in ("sitecustomize.py", "pygls.py", "torch.py", "setup.py", "conftest.py"):
        (project / name).write_text(trap)
    (project / "pkg/__init__.py").write_text(trap)
    before = {path: path.stat().st_mtime_ns for path in project.rglob("*")}
    uri = editor.open(project / "pkg/utils.py", UTILS + trap)
    await editor.codes(uri, "TRN201")
    editor.type(uri, ALONE + UTILS + trap)
    await editor.codes(uri, "TRN201", "TRN801")
    for action in await editor.actions(uri, 2):
        await editor.chosen(action)
    assert {path: path.stat().st_mtime_ns for path in project.rglob("*")} == before
