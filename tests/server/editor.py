"""What an editor does, in the words of its user."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

_PATIENCE = 60.0
"""Seconds after which a test fails that waits. A busy machine may need many."""


@dataclass
class Editor:
    client: LanguageClient
    capabilities: lsp.ServerCapabilities
    """What the server can do."""
    versions: dict[str, int] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def open(self, where: Path | str, text: str, language: str = "python") -> str:
        """Open a document; its URI."""
        uri = where if isinstance(where, str) else where.as_uri()
        self.versions[uri], self.texts[uri] = 1, text
        item = lsp.TextDocumentItem(uri, language, 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return uri

    def type(self, uri: str, text: str) -> None:
        """Put another text into a document, without saving it."""
        self.versions[uri] += 1
        self.texts[uri] = text
        document = lsp.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))

    def save(self, uri: str) -> None:
        """Tell that a document was saved."""
        self.client.text_document_did_save(lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(uri)))

    def close(self, uri: str) -> None:
        self.client.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))

    def changed_on_disk(self, *paths: Path) -> None:
        events = [lsp.FileEvent(path.as_uri(), lsp.FileChangeType.Changed) for path in paths]
        self.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams(events))

    async def shown(self, uri: str, wanted: Callable[[Sequence[lsp.Diagnostic]], object]) -> list[lsp.Diagnostic]:
        """What is shown of a document as soon as it is as wanted."""
        await self.until(lambda: uri in self.client.diagnostics and bool(wanted(self.client.diagnostics[uri])))
        return list(self.client.diagnostics[uri])

    async def codes(self, uri: str, *codes: str) -> list[lsp.Diagnostic]:
        """What is shown of a document as soon as it has exactly these codes."""
        return await self.shown(uri, lambda found: sorted(str(each.code) for each in found) == sorted(codes))

    async def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + _PATIENCE
        while not condition():
            assert time.monotonic() < end, dict(self.client.diagnostics)
            await asyncio.sleep(0.01)

    async def hover(self, uri: str, line: int, column: int) -> lsp.Hover | None:
        """What is shown when the pointer rests at a place, counted from 0."""
        document, position = lsp.TextDocumentIdentifier(uri), lsp.Position(line, column)
        return await self.client.text_document_hover_async(lsp.HoverParams(document, position))

    async def actions(
        self, uri: str, line: int, column: int = 0, only: Sequence[str] | None = None
    ) -> list[lsp.CodeAction]:
        """What is offered at a place, counted from 0."""
        position = lsp.Position(line, column)
        params = lsp.CodeActionParams(
            lsp.TextDocumentIdentifier(uri),
            lsp.Range(position, lsp.Position(line, column + 200)),
            lsp.CodeActionContext([], only=list(only) if only else None),
        )
        found = await self.client.text_document_code_action_async(params)
        return [each for each in found or [] if isinstance(each, lsp.CodeAction)]

    async def chosen(self, action: lsp.CodeAction) -> str:
        """The text of the document when an action was chosen, which is asked for its edit where it has none yet."""
        if action.edit is None:
            action = await self.client.code_action_resolve_async(action)
        assert action.edit is not None, action
        assert action.edit.document_changes, action
        [change] = action.edit.document_changes
        assert isinstance(change, lsp.TextDocumentEdit)
        assert change.text_document.version == self.versions[change.text_document.uri]
        return applied(self.texts[change.text_document.uri], change.edits)


def applied(text: str, edits: Sequence[lsp.TextEdit | lsp.AnnotatedTextEdit | lsp.SnippetTextEdit]) -> str:
    """A text after edits, by the protocol's rules: lines end in LF, CRLF or CR, columns count units of UTF-16."""
    data = text.encode("utf-16-le")

    def offset(position: lsp.Position) -> int:
        lines = text.replace("\r\n", "\n\0").replace("\r", "\n").replace("\n\0", "\r\n").split("\n")
        return sum(len(f"{line}\n".encode("utf-16-le")) for line in lines[: position.line]) + 2 * position.character

    for edit in sorted(edits, key=lambda edit: offset(edit.range.start), reverse=True):
        assert isinstance(edit, lsp.TextEdit)
        start, stop = offset(edit.range.start), offset(edit.range.end)
        data = data[:start] + edit.new_text.encode("utf-16-le") + data[stop:]
    return data.decode("utf-16-le")
