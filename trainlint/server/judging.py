"""When open documents are judged: soon after a pause, the one that is typed in first, and never a state that is gone.

After a pause a document is judged with what its project said of it before, which takes some hundredths of a second;
then, a little later, the project is linked again and each open document is judged again that it tells something new.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from trainlint.engine.read import too_large
from trainlint.engine.work import Outcome
from trainlint.finding import Failure
from trainlint.server.interruption import Interruption, Stale
from trainlint.server.projects import Project, Projects, enter

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from trainlint.engine.rewriting import Fixing
    from trainlint.server.documents import Document
    from trainlint.source import SourceFile

PAUSE = 0.05
"""Seconds without a change before the changed document is judged."""
LONGER_PAUSE = 0.2
"""Seconds without a change before its project is linked again."""
LOOK_AFTER = 2.0
"""So many seconds after files on disk were looked at, the next linking looks at them again: not every editor tells
which files have changed."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A document was opened, or has another text."""

    document: Document
    opened: bool = False


@dataclass(frozen=True, slots=True)
class Closed:
    """A document was closed."""

    uri: str


@dataclass(frozen=True, slots=True)
class OnDisk:
    """Files on disk may have changed."""


@dataclass(frozen=True, slots=True)
class Folders:
    """The directories that are open in the editor."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class DocumentRequest:
    """The editor asks about a document, and waits."""

    uri: str
    answer: Callable[[Judgement], Any]
    future: Future[Any]


@dataclass(frozen=True, slots=True)
class End:
    """The editor has left."""


Event = Changed | Closed | OnDisk | Folders | DocumentRequest | End


@dataclass(frozen=True, slots=True)
class Judgement:
    """A document with what was found in it."""

    document: Document
    source: SourceFile
    outcome: Outcome
    project: Project

    def fixed(self, fixing: Fixing) -> Outcome | None:
        """What fixes make of it."""
        session, path = self.project.session, self.project.path(self.document)
        if self.document.path is None:
            return session.judged_alone(path, self.source, fixing).outcomes.get(path)
        return session.judged_at_once(path, self.source, fixing)


class Judge:
    """Judges in the thread that calls `run`; any thread may `post` what has happened."""

    def __init__(
        self,
        projects: Projects,
        interruption: Interruption,
        publish: Callable[[Judgement], None],
        withdraw: Callable[[str], None],
        tell: Callable[[str], None],
    ) -> None:
        """`publish` gets each new judgement, `withdraw` the URI of each document of which nothing is to be shown.

        `tell` gets sentences that belong to no open document.
        """
        self._projects = projects
        self._interruption = interruption
        self._publish = publish
        self._withdraw = withdraw
        self._tell = tell
        self._events: queue.Queue[Event] = queue.Queue()
        self._documents: dict[str, Document] = {}
        self._judgements: dict[str, Judgement] = {}
        self._soon: dict[str, float] = {}
        """Documents to be judged at once, and when."""
        self._later: dict[Path, float] = {}
        """Projects to be linked, and when."""
        self._shown_sentences: dict[Path, set[str]] = {}
        """What was said of each project after it was linked last."""

    def post(self, event: Event) -> None:
        """Say what has happened. What is being computed just now is given up if it may have become stale."""
        self._events.put(event)
        self._interruption.request()

    def run(self) -> None:
        """Judge until the end."""
        while True:
            due = min((*self._soon.values(), *self._later.values()), default=None)
            wait = None if due is None else max(0.0, due - time.monotonic())
            events: list[Event] = []
            with suppress(queue.Empty):
                events.append(self._events.get(timeout=wait))
                self._interruption.withdraw()
                while True:
                    events.append(self._events.get_nowait())
            if any(isinstance(event, End) for event in events):
                return
            try:
                for event in events:
                    self._handle_event(event)
                if not events:
                    self._work()
            except Exception as error:  # noqa: BLE001 - one document must not end the server for all others
                self._soon.clear()
                self._later.clear()
                self._tell(f"trainlint failed ({type(error).__name__}: {error}); please report this")

    def _handle_event(self, event: Event) -> None:
        now = time.monotonic()
        match event:
            case Changed(document, _) if document.too_large:
                self._refuse(document)
            case Changed(document, opened):
                self._documents[document.uri] = document
                self._soon[document.uri] = now if opened else now + PAUSE
                self._later[self._projects.of(document).root] = now if opened else now + LONGER_PAUSE
            case Closed(uri):
                closed = self._documents.pop(uri, None)
                self._judgements.pop(uri, None)
                self._soon.pop(uri, None)
                self._withdraw(uri)
                if closed is not None:
                    self._later[self._projects.of(closed).root] = now
            case OnDisk():
                for project in self._projects:
                    project.looked = 0.0
                    self._later[project.root] = now
            case Folders(paths):
                self._projects.folders = paths
            case DocumentRequest(uri, answer, future):
                self._answer(uri, answer, future)

    def _refuse(self, document: Document) -> None:
        """Say of a document that it is too large. It counts as one that is not open, so the others are judged on."""
        before = self._documents.pop(document.uri, None)
        self._soon.pop(document.uri, None)
        project = self._projects.of(document)
        if before is not None:
            self._later[project.root] = time.monotonic()
        if document.is_judged:
            source = project.source(document)
            failure = Failure(source.path, too_large(source.path))
            self._show(Judgement(document, source, Outcome(failures=(failure,), judged=False), project))

    def _work(self) -> None:
        """The most urgent piece of work that is due."""
        now = time.monotonic()
        soon = [uri for uri, due in self._soon.items() if due <= now]
        later = [root for root, due in self._later.items() if due <= now]
        if soon:
            self._judge_at_once(soon[-1])
        elif later:
            self._link(later[-1])

    def _judge_at_once(self, uri: str) -> None:
        self._soon.pop(uri, None)
        document = self._documents[uri]
        project = self._projects.of(document)
        enter(project)
        path, source = project.path(document), project.source(document)
        if document.is_judged and document.path is None:
            judged = project.session.judged_alone(path, source)
            self._show(Judgement(document, source, _with_failures(judged.outcomes.get(path), judged.failures), project))
        elif _judged_path(document, project) is None:
            self._judgements.pop(uri, None)
            self._withdraw(uri)
        elif (outcome := project.session.judged_at_once(path, source)) is not None:
            self._show(Judgement(document, source, outcome, project))

    def _link(self, root: Path) -> None:
        """Link a project, and show what that changes."""
        documents = [each for each in self._documents.values() if self._projects.of(each).root == root]
        if not documents:
            self._later.pop(root, None)
            self._projects.forget(root)
            return
        project = self._projects.of(documents[0])
        enter(project)
        now = time.monotonic()
        if now - project.looked > LOOK_AFTER:
            project.session.look_again()
            project.looked = now
        opened = {path: each for each in documents if (path := _judged_path(each, project)) is not None}
        sources = {path: project.source(each) for path, each in opened.items()}
        try:
            found = project.session.judged(sources)
        except Stale:
            return  # it stays due
        self._later.pop(root, None)
        for path, document in opened.items():
            outcome, failures = found.outcomes.get(path), found.failures_of(sources[path].path)
            if outcome is None and not failures:
                failures = found.failures  # its configuration is wrong
            self._show(Judgement(document, sources[path], _with_failures(outcome, failures), project))
        shown = {source.path for source in sources.values()}
        self._tell_new(root, {failure.reason for failure in found.failures if failure.path not in shown})

    def _show(self, judgement: Judgement) -> None:
        uri = judgement.document.uri
        before = self._judgements.get(uri)
        self._judgements[uri] = judgement
        if before is None or before.document != judgement.document or before.outcome != judgement.outcome:
            self._publish(judgement)

    def _tell_new(self, root: Path, sentences: set[str]) -> None:
        """Say what was not said after the last linking: a mistake that was corrected may be made again."""
        for sentence in sorted(sentences - self._shown_sentences.get(root, set())):
            self._tell(sentence)
        self._shown_sentences[root] = sentences

    def _answer(self, uri: str, answer: Callable[[Judgement], Any], future: Future[Any]) -> None:
        """Answer about the document as it is now; with None where it has not been judged."""
        if uri in self._soon:
            self._judge_at_once(uri)
        judgement = self._judgements.get(uri)
        if not future.set_running_or_notify_cancel():
            return
        if judgement is None or judgement.document != self._documents.get(uri):
            future.set_result(None)
            return
        try:
            enter(judgement.project)
            future.set_result(answer(judgement))
        except Exception as error:  # noqa: BLE001 - it goes to whoever asked
            future.set_exception(error)


def _judged_path(document: Document, project: Project) -> Path | None:
    """The file of a document that is judged with its project; None for others."""
    path = document.path
    return path if document.is_judged and path is not None and not project.session.leaves_out(path) else None


def _with_failures(outcome: Outcome | None, failures: Iterable[Failure]) -> Outcome:
    """An outcome with further failures; for a file that was not judged at all, the failures alone."""
    found = outcome or Outcome(judged=False)
    return replace(found, failures=(*found.failures, *failures))
