"""The server itself: what the editor sends becomes events of the judge, and what the judge finds goes to the editor."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from trainlint import __version__
from trainlint.baseline.identity import Identities
from trainlint.bounded import SOURCE_BYTES, read_bounded
from trainlint.paths import absolute
from trainlint.report.characters import sentence
from trainlint.server import actions
from trainlint.server.diagnostics import Diagnoser
from trainlint.server.documents import document
from trainlint.server.hover import hover_text
from trainlint.server.interruption import Interruption
from trainlint.server.judging import Changed, Closed, DocumentRequest, End, Folders, Judge, Judgement, OnDisk
from trainlint.server.positions import touch
from trainlint.server.projects import Projects
from trainlint.source import SourceFile, UnreadableSource, decode_source

if TYPE_CHECKING:
    from trainlint.cache.cache import Cache
    from trainlint.catalogue import InstalledRule
    from trainlint.engine.configurations import Configurations

_WATCHED = "**/{*.py,*.pyw,*.json,*.toml,*.cfg,*.txt,*.yml,*.yaml,*.lock,.gitignore}"
"""Code, and what settings and versions of torch are read from."""


def serve(
    configurations: Configurations, rules: Sequence[InstalledRule], cache: Callable[[Path], Cache | None]
) -> None:
    """Talk with an editor over standard input and output until it leaves. Runs in the main thread.

    `cache` gives the cache for the project in a directory, which is the working directory then.
    """
    # Whatever prints by mistake must not stand between the messages.
    messages_out = os.fdopen(os.dup(1), "wb")
    messages_in = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    interruption = Interruption()
    server = Server(rules)
    judge = server.judge = Judge(
        Projects(configurations, cache, interruption.allowed),
        interruption,
        server.publish,
        server.withdraw,
        server.show_message,
    )

    def talk() -> None:
        try:
            server.start_io(messages_in, messages_out)
        finally:
            judge.post(End())

    talking = threading.Thread(target=talk, daemon=True)
    talking.start()
    judge.run()
    talking.join()


class Server(LanguageServer):
    """Speaks the protocol in a thread of its own."""

    judge: Judge

    def __init__(self, rules: Sequence[InstalledRule]) -> None:
        """The server without its judge, which is set before it starts."""
        # Each change brings the whole text: pygls splits lines at signs, such as form feeds, at which editors do not.
        super().__init__("trainlint", __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
        self._rules = {rule.code: rule for rule in rules}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._add_features()

    # What the judge calls, from its thread.

    def publish(self, judgement: Judgement) -> None:
        """Show what was found in a document."""
        diagnoser = self._diagnoser(judgement)
        outcome = judgement.outcome
        diagnostics = diagnoser.of_findings(outcome.findings)
        diagnostics += [diagnoser.of_failure(failure) for failure in outcome.failures]
        self._publish(judgement.document.uri, diagnostics, judgement.document.version)

    def withdraw(self, uri: str) -> None:
        """Show nothing of a document any more."""
        self._publish(uri, [], None)

    def show_message(self, text: str) -> None:
        """Show a sentence."""
        words = sentence(text, unicode=True)
        message = lsp.ShowMessageParams(lsp.MessageType.Error, f"trainlint: {words}")
        self._send(lambda: self.window_show_message(message))

    def _publish(self, uri: str, diagnostics: list[lsp.Diagnostic], version: int | None) -> None:
        params = lsp.PublishDiagnosticsParams(uri, diagnostics, version)
        self._send(lambda: self.text_document_publish_diagnostics(params))

    def _send(self, what: Callable[[], None]) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the editor has left
                self._loop.call_soon_threadsafe(what)

    def _diagnoser(self, judgement: Judgement) -> Diagnoser:
        read: dict[Path, SourceFile | None] = {}

        def source_at(path: Path) -> SourceFile | None:
            if path not in read:
                read[path] = _source_at(path)
            return read[path]

        document, root = judgement.document, judgement.project.root
        identities = Identities(lambda _: judgement.source, str(root))
        return Diagnoser(judgement.source, document.uri, self._encoding, self._rules, source_at, root, identities)

    @property
    def _encoding(self) -> str:
        return str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding))

    # What the editor sends, in the thread that talks with it.

    def _add_features(self) -> None:
        kinds = lsp.CodeActionOptions(code_action_kinds=list(actions.KINDS), resolve_provider=True)
        for name, method, options in (
            (lsp.INITIALIZED, self._initialized, None),
            (lsp.TEXT_DOCUMENT_DID_OPEN, self._opened, None),
            (lsp.TEXT_DOCUMENT_DID_CHANGE, self._changed, None),
            (lsp.TEXT_DOCUMENT_DID_SAVE, self._files_changed, None),
            (lsp.TEXT_DOCUMENT_DID_CLOSE, self._closed, None),
            (lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, self._files_changed, None),
            (lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, self._files_changed, None),
            (lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, self._folders_changed, None),
            (lsp.TEXT_DOCUMENT_HOVER, self._hover, None),
            (lsp.TEXT_DOCUMENT_CODE_ACTION, self._actions, kinds),
            (lsp.CODE_ACTION_RESOLVE, self._resolved, None),
        ):
            self.feature(name, options)(partial(method))  # pygls sets attributes, which a method cannot have

    def _initialized(self, params: lsp.InitializedParams) -> None:
        self._loop = asyncio.get_running_loop()
        self._folders_changed(None)
        workspace = self.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace is not None else None
        if watching is not None and watching.dynamic_registration:
            options = lsp.DidChangeWatchedFilesRegistrationOptions([lsp.FileSystemWatcher(_WATCHED)])
            wish = lsp.Registration("trainlint-files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            self.client_register_capability(lsp.RegistrationParams([wish]))

    def _folders_changed(self, params: lsp.DidChangeWorkspaceFoldersParams | None) -> None:
        uris = list(self.workspace.folders) or [self.workspace.root_uri or ""]
        paths = (to_fs_path(uri) for uri in uris if uri)
        self.judge.post(Folders(tuple(absolute(Path(path)) for path in paths if path)))

    def _opened(self, params: lsp.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        self.judge.post(Changed(document(item.uri, item.version, item.text, item.language_id), opened=True))

    def _changed(self, params: lsp.DidChangeTextDocumentParams) -> None:
        item = self.workspace.get_text_document(params.text_document.uri)
        self.judge.post(Changed(document(item.uri, item.version, item.source, item.language_id or "")))

    def _closed(self, params: lsp.DidCloseTextDocumentParams) -> None:
        self.judge.post(Closed(params.text_document.uri))

    def _files_changed(self, params: object) -> None:
        self.judge.post(OnDisk())

    async def _ask(self, uri: str, answer: Callable[[Judgement], Any]) -> Any:
        future: Future[Any] = Future()
        self.judge.post(DocumentRequest(uri, answer, future))
        return await asyncio.wrap_future(future)

    async def _hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        place = lsp.Range(params.position, params.position)

        def answer(judgement: Judgement) -> lsp.Hover | None:
            judged = self._judged(judgement)
            pairs = zip(judged.findings, judged.diagnostics, strict=True)
            here = [(finding, diagnostic) for finding, diagnostic in pairs if touch(diagnostic.range, place)]
            if not here:
                return None
            text = hover_text([finding for finding, _ in here], self._rules)
            return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text), here[0][1].range)

        found: lsp.Hover | None = await self._ask(params.text_document.uri, answer)
        return found

    async def _actions(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
        def answer(judgement: Judgement) -> list[lsp.CodeAction]:
            found = actions.actions(self._judged(judgement), params.range, params.context.only, self._encoding)
            if not self._resolves:
                found = [self._with_edit(action, judgement) for action in found]
                found = [action for action in found if action.edit is not None]
            return [self._as_understood(action) for action in found]

        found: list[lsp.CodeAction] | None = await self._ask(params.text_document.uri, answer)
        return found

    async def _resolved(self, action: lsp.CodeAction) -> lsp.CodeAction:
        if action.edit is not None or not isinstance(action.data, dict):
            return action
        found: lsp.CodeAction | None = await self._ask(
            str(action.data.get("uri")), lambda judgement: self._as_understood(self._with_edit(action, judgement))
        )
        return found or action

    def _judged(self, judgement: Judgement) -> actions.Judged:
        document, findings = judgement.document, judgement.outcome.findings
        diagnoser = self._diagnoser(judgement)
        diagnostics = tuple(diagnoser.of_findings(findings))
        return actions.Judged(document.uri, document.version, judgement.source, findings, diagnostics)

    def _with_edit(self, action: lsp.CodeAction, judgement: Judgement) -> lsp.CodeAction:
        """The action with its edit; without one where its fix does not hold, which the user is told."""
        if action.edit is not None:
            return action
        judged = self._judged(judgement)
        fixing = actions.fixing_of(judged, action.data)
        outcome = judgement.fixed(fixing) if fixing is not None else None
        if outcome is not None:
            action.edit = actions.edit_of(judged, outcome, self._encoding)
            if action.edit is None and self._resolves:
                reasons = [fix.reason for fix in outcome.unapplied] or ["the fix changes nothing"]
                self.show_message("; ".join(reasons))
        return action

    @property
    def _resolves(self) -> bool:
        """Whether the editor asks for the edit of an action when it is chosen."""
        document = self.client_capabilities.text_document
        action = document.code_action if document is not None else None
        return bool(action and action.resolve_support and "edit" in action.resolve_support.properties)

    def _as_understood(self, action: lsp.CodeAction) -> lsp.CodeAction:
        workspace = self.client_capabilities.workspace
        edits = workspace.workspace_edit if workspace is not None else None
        if action.edit is not None and not (edits and edits.document_changes):
            action.edit = actions.without_versions(action.edit)
        return action


def _source_at(path: Path) -> SourceFile | None:
    try:
        return decode_source(path.name, read_bounded(path, SOURCE_BYTES))
    except (OSError, UnreadableSource):
        return None
