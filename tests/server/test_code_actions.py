"""What an editor offers to do about findings, and what comes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsprotocol import types as lsp
from pytest_lsp import client_capabilities

from tests.engine.linked_project import UTILS
from tests.server.conftest import started
from tests.server.editor import applied

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server.editor import Editor

pytestmark = pytest.mark.asyncio

OLD = """\
import torch

name = "\N{FIRE}"; scaler = torch.cuda.amp.GradScaler()
other = torch.cuda.amp.GradScaler()
third = 3


def train(model, loader, optimizer, device):
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch.to(device))
        loss.backward()
        optimizer.step()
        torch.cuda.empty_cache()
"""
NEW = 'torch.amp.GradScaler("cuda")'


async def test_one_finding_is_fixed(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "old.py", OLD)
    await editor.codes(uri, "TRN205", "TRN301", "TRN801", "TRN801")
    [fix] = [action for action in await editor.actions(uri, 3) if action.title.startswith("Use torch.amp")]
    assert fix.kind == lsp.CodeActionKind.QuickFix
    assert fix.is_preferred
    assert fix.title == "Use torch.amp (TRN801, safe)"
    assert await editor.chosen(fix) == OLD.replace("other = torch.cuda.amp.GradScaler()", f"other = {NEW}")


async def test_a_fix_that_needs_judgement_says_so(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "old.py", OLD)
    await editor.codes(uri, "TRN205", "TRN301", "TRN801", "TRN801")
    [fix] = [action for action in await editor.actions(uri, 13) if action.edit is None and "TRN301" in action.title]
    assert fix.title.endswith("(TRN301, unsafe: needs your judgement)")
    assert not fix.is_preferred
    assert await editor.chosen(fix) == OLD.replace("        torch.cuda.empty_cache()\n", "")


@pytest.mark.parametrize("only", [["source.fixAll.trainlint"], ["source.fixAll"], ["source"]])
async def test_all_that_is_safe_is_fixed(editor: Editor, project: Path, only: list[str]) -> None:
    uri = editor.open(project / "old.py", OLD)
    await editor.codes(uri, "TRN205", "TRN301", "TRN801", "TRN801")
    [everything] = await editor.actions(uri, 0, only=only)
    assert everything.kind == "source.fixAll.trainlint"
    assert everything.title == "Fix all that trainlint can fix safely (2)"
    assert await editor.chosen(everything) == OLD.replace("torch.cuda.amp.GradScaler()", NEW)


async def test_other_kinds_are_not_offered(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "old.py", OLD)
    await editor.codes(uri, "TRN205", "TRN301", "TRN801", "TRN801")
    assert await editor.actions(uri, 3, only=["refactor", "source.organizeImports"]) == []
    assert {action.kind for action in await editor.actions(uri, 3, only=["quickfix"])} == {lsp.CodeActionKind.QuickFix}


async def test_line_ends_stay(editor: Editor, project: Path) -> None:
    text = OLD.replace("\n", "\r\n")
    uri = editor.open(project / "old.py", text)
    found = await editor.codes(uri, "TRN205", "TRN301", "TRN801", "TRN801")
    assert sorted(each.range.start.line for each in found) == [2, 3, 10, 13]
    [everything] = await editor.actions(uri, 0, only=["source.fixAll.trainlint"])
    assert await editor.chosen(everything) == text.replace("torch.cuda.amp.GradScaler()", NEW)
    [ignore] = [action for action in await editor.actions(uri, 2) if action.title.startswith("Ignore")]
    line = 'name = "\N{FIRE}"; scaler = torch.cuda.amp.GradScaler()'
    comment = "  # trainlint: ignore[TRN801] TODO: say why"
    assert await editor.chosen(ignore) == text.replace(line, line + comment)


async def test_a_finding_is_ignored_by_a_comment_with_a_reason(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "pkg/utils.py", UTILS)
    await editor.codes(uri, "TRN201")
    [ignore] = await editor.actions(uri, 4)
    assert ignore.title == "Ignore TRN201 here, and write why"
    text = await editor.chosen(ignore)
    assert text == UTILS.replace("item())\n", "item())  # trainlint: ignore[TRN201] TODO: say why\n")
    editor.type(uri, text)
    await editor.codes(uri)


async def test_an_ignore_comment_that_is_there_gets_the_further_code(editor: Editor, project: Path) -> None:
    text = UTILS.replace("item())\n", "item())  # trainlint: ignore[TRN203] early stopping\n")
    uri = editor.open(project / "pkg/utils.py", text)
    await editor.shown(uri, lambda found: any(each.code == "TRN201" for each in found))
    [ignore] = [action for action in await editor.actions(uri, 4, 16) if action.title.startswith("Ignore TRN201")]
    assert "ignore[TRN203, TRN201] early stopping" in await editor.chosen(ignore)


async def test_an_action_of_an_older_text_does_nothing(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "old.py", OLD)
    await editor.codes(uri, "TRN205", "TRN301", "TRN801", "TRN801")
    [everything] = await editor.actions(uri, 0, only=["source.fixAll"])
    editor.type(uri, f"\n{OLD}")
    resolved = await editor.client.code_action_resolve_async(everything)
    assert resolved.edit is None


async def test_actions_are_those_of_what_was_typed_last(editor: Editor, project: Path) -> None:
    uri = editor.open(project / "old.py", OLD)
    await editor.codes(uri, "TRN205", "TRN301", "TRN801", "TRN801")
    editor.type(uri, f"\n{OLD}")
    [fix, *_] = await editor.actions(uri, 4)
    assert await editor.chosen(fix) == "\n" + OLD.replace("other = torch.cuda.amp.GradScaler()", f"other = {NEW}")


async def test_an_old_editor_gets_the_edits_at_once(project: Path) -> None:
    async for editor in started(lsp.ClientCapabilities(), [project]):
        uri = editor.open(project / "old.py", OLD)
        await editor.codes(uri, "TRN205", "TRN301", "TRN801", "TRN801")
        [everything] = await editor.actions(uri, 0, only=["source.fixAll"])
        assert everything.edit is not None
        assert everything.edit.document_changes is None
        assert everything.edit.changes is not None
        text = applied(OLD, everything.edit.changes[uri])
        assert text == OLD.replace("torch.cuda.amp.GradScaler()", NEW)


async def test_columns_are_counted_as_was_agreed(project: Path) -> None:
    capabilities = client_capabilities("visual_studio_code")
    assert capabilities.general is not None
    capabilities.general.position_encodings = [lsp.PositionEncodingKind.Utf8]
    async for editor in started(capabilities, [project]):
        uri = editor.open(project / "old.py", OLD)
        found = await editor.codes(uri, "TRN205", "TRN301", "TRN801", "TRN801")
        line = OLD.splitlines()[2]
        [start] = [each.range.start.character for each in found if each.range.start.line == 2]
        assert start == len(line[: line.index("torch")].encode())
