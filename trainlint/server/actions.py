"""What an editor offers to do about findings: fix one, fix all that is safe, ignore one and say why.

The edits of a fix are worked out when it is chosen, as `trainlint check --fix` does it: the fix is applied, the result
is judged, and what does not hold is taken back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from trainlint.engine.rewriting import Fixing, place_shown
from trainlint.finding import Finding, Safety
from trainlint.fixing.fixpoint import misfit
from trainlint.server.positions import touch
from trainlint.server.text_edits import as_text_edits, difference
from trainlint.suppress.addition import additions

if TYPE_CHECKING:
    from trainlint.engine.work import Outcome
    from trainlint.source import SourceFile

FIX_ALL = "source.fixAll.trainlint"
KINDS = (lsp.CodeActionKind.QuickFix.value, FIX_ALL)
REASON = "TODO: say why"
"""What stands behind a new ignore comment until the user has written the reason."""
_CAUTION = {
    Safety.SAFE: "safe",
    Safety.NUMERICS: "numerics: other rounding, order or random numbers",
    Safety.UNSAFE: "unsafe: needs your judgement",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """A document as it was judged."""

    uri: str
    version: int | None
    source: SourceFile
    findings: tuple[Finding, ...]
    diagnostics: tuple[lsp.Diagnostic, ...]
    """Of the findings, in their order."""


def actions(judged: Judged, place: lsp.Range, kinds: Sequence[str] | None, encoding: str) -> list[lsp.CodeAction]:
    """What can be done at a place of a document. `kinds` are those that the editor asks for; None for all.

    Actions that fix get their edit from `edit_of` later.
    """
    found: list[lsp.CodeAction] = []
    if _wanted(lsp.CodeActionKind.QuickFix.value, kinds):
        for finding, diagnostic in zip(judged.findings, judged.diagnostics, strict=True):
            if touch(diagnostic.range, place):
                found += _about(judged, finding, diagnostic, encoding)
        # Fixes first: the editor shows them in this order.
        found.sort(key=lambda action: action.edit is not None)
    safe = [each for each in judged.findings if each.fix is not None and each.fix.safety is Safety.SAFE]
    if safe and _wanted(FIX_ALL, kinds):
        title = f"Fix all that trainlint can fix safely ({len(safe)})"
        found.append(lsp.CodeAction(title, kind=FIX_ALL, data=_data(judged, None)))
    return found


def _about(judged: Judged, finding: Finding, diagnostic: lsp.Diagnostic, encoding: str) -> Iterator[lsp.CodeAction]:
    if finding.fix is not None:
        yield lsp.CodeAction(
            f"{finding.fix.title} ({finding.code}, {_CAUTION[finding.fix.safety]})",
            kind=lsp.CodeActionKind.QuickFix,
            diagnostics=[diagnostic],
            is_preferred=finding.fix.safety is Safety.SAFE or None,
            data=_data(judged, finding),
        )
    edits = additions(judged.source, [finding], REASON)
    if edits and misfit(judged.source.edited(edits)) is None:
        yield lsp.CodeAction(
            f"Ignore {finding.code} here, and write why",
            kind=lsp.CodeActionKind.QuickFix,
            diagnostics=[diagnostic],
            edit=workspace_edit(judged.uri, judged.version, as_text_edits(judged.source, edits, encoding)),
        )


def fixing_of(judged: Judged, data: Any) -> Fixing | None:
    """What an action with this data does; None where the document has changed since the action was offered."""
    if not isinstance(data, dict) or data.get("version") != judged.version:
        return None
    if data.get("place") is None:
        return Fixing(Safety.SAFE, write=False)
    for finding in judged.findings:
        if finding.fix is not None and list(place_shown(finding)) == data["place"]:
            return Fixing(finding.fix.safety, write=False, chosen=frozenset({place_shown(finding)}))
    return None


def edit_of(judged: Judged, outcome: Outcome, encoding: str) -> lsp.WorkspaceEdit | None:
    """The edit that gives the fixed text; None where no fix held."""
    if outcome.rewrite is None:
        return None
    edits = difference(outcome.rewrite.before, outcome.rewrite.after, encoding)
    return workspace_edit(judged.uri, judged.version, edits)


def workspace_edit(uri: str, version: int | None, edits: list[lsp.TextEdit]) -> lsp.WorkspaceEdit:
    """Edits of one document, which the editor makes only if it still has this version of it."""
    document = lsp.OptionalVersionedTextDocumentIdentifier(uri, version)
    return lsp.WorkspaceEdit(document_changes=[lsp.TextDocumentEdit(document, list(edits))])


def without_versions(edit: lsp.WorkspaceEdit) -> lsp.WorkspaceEdit:
    """The same edit for an editor that knows only the older form."""
    changes: dict[str, list[lsp.TextEdit]] = {}
    for each in edit.document_changes or ():
        assert isinstance(each, lsp.TextDocumentEdit)  # `workspace_edit` makes no others
        changes[each.text_document.uri] = [item for item in each.edits if isinstance(item, lsp.TextEdit)]
    return lsp.WorkspaceEdit(changes=changes)


def _wanted(kind: str, kinds: Sequence[str] | None) -> bool:
    return kinds is None or any(kind == each or kind.startswith(f"{each}.") or not each for each in kinds)


def _data(judged: Judged, finding: Finding | None) -> dict[str, Any]:
    place = None if finding is None else list(place_shown(finding))
    return {"uri": judged.uri, "version": judged.version, "place": place}
