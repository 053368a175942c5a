"""Links the files of a run: each is summarised, and told what the others say of it.

Files that are not to be judged may take part, too: what they call is known, and nothing else is said of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.engine.judge import parse
from trainlint.engine.read import may_hold_findings, read_bytes
from trainlint.engine.workers import across
from trainlint.finding import Failure
from trainlint.model.outside import ALONE, Outside
from trainlint.model.site import FileModel
from trainlint.source import SourceFile, UnreadableSource, decode_source

if TYPE_CHECKING:
    from trainlint.config import Config
    from trainlint.engine.surroundings import Surroundings
    from trainlint.linking.summary import Summary

_KEPT = 4_000_000
"""Bytes of source whose models are kept in memory from summarising to judging: about a hundred times as much."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file that takes part in linking."""

    path: Path
    shown: str
    size: int
    config: Config
    text: SourceFile | None = None
    """What counts in place of the file on disk, as an editor sends it."""
    judged: bool = True
    """False for a neighbour, which only tells the files of the run something."""
    group: int = 0
    names_device: bool = False
    """Whether it, or a file that it works together with, names a device."""

    def data(self) -> bytes:
        """Its bytes. Raises UnreadableSource."""
        return self.text.encode(self.text.text) if self.text is not None else read_bytes(self.path)

    def source(self) -> SourceFile:
        """Its text. Raises UnreadableSource."""
        return self.text or decode_source(self.shown, read_bytes(self.path))


@dataclass(slots=True)
class Linkage:
    """What linking found out."""

    outsides: dict[Path, Outside] = field(default_factory=dict)
    models: dict[Path, FileModel] = field(default_factory=dict)
    """Models that were kept, not yet told anything."""
    neighbours: int = 0
    """How many files took part that are not judged."""
    failures: tuple[Failure, ...] = ()

    def of(self, path: Path) -> Outside:
        """What the other files say of one."""
        return self.outsides.get(path, ALONE)


def linked(files: Sequence[Member], surroundings: Surroundings, workers: int = 1) -> Linkage:
    """Link the files of a run with each other and with their neighbours in the project.

    Every file is summarised, by several processes where there are several workers. Where no file of the run may hold
    a finding, none is looked at.
    """
    linkage = Linkage()
    if not any(map(_may_hold_findings, files)):
        return linkage
    try:
        _link(linkage, files, surroundings, workers)
    except Exception as error:  # noqa: BLE001  # a crash while linking must not keep any file from being judged
        reason = f"its files could not be linked ({type(error).__name__}: {error}), so each was judged alone"
        linkage.failures = (Failure(files[0].shown, f"{reason}; please report this"),)
    return linkage


def _link(linkage: Linkage, files: Sequence[Member], surroundings: Surroundings, workers: int) -> None:
    from trainlint.engine.participants import taking_part
    from trainlint.linking.link import link

    party = taking_part(files, surroundings)
    members = party.members
    if not members:
        return
    linkage.outsides |= {member.path: replace(ALONE, names_device=member.names_device) for member in members}
    linkage.neighbours = sum(not member.judged for member in members)
    if workers > 1:
        summaries = across(members, summarise_file, _size, _no_summary, workers)
    else:
        summaries = _summarise_here(members, linkage.models)
    found = [(member, summary) for member, summary in zip(members, summaries, strict=True) if summary]
    told = link(
        [_without_guesses(summary, party.methods_elsewhere) for _, summary in found],
        [member.path for member, _ in found],
        [member.group for member, _ in found],
    )
    for (member, _), outside in zip(found, told, strict=True):
        linkage.outsides[member.path] = replace(outside, names_device=member.names_device)


def _without_guesses(summary: Summary, ambiguous: frozenset[str]) -> Summary:
    """No call is linked by the mere name of a method where files that were left out have methods of that name."""
    if not any(call.method in ambiguous for call in summary.calls):
        return summary
    calls = (replace(call, method="") if call.method in ambiguous else call for call in summary.calls)
    return replace(summary, calls=tuple(calls))


def _may_hold_findings(member: Member) -> bool:
    try:
        return may_hold_findings(member.data())
    except UnreadableSource:
        return False


def summarise_file(member: Member) -> Summary | None:
    """The summary of one file; None where it cannot be read, which judging it will report."""
    model = _model(member)
    if model is None:
        return None
    try:
        return _summary(model)
    finally:
        model.let_go()


def _summarise_here(members: Sequence[Member], models: dict[Path, FileModel]) -> list[Summary | None]:
    """The summaries of files in this very process, which keeps the first models for judging."""
    found: list[Summary | None] = []
    kept = 0
    for member in members:
        model = _model(member)
        summary = _summary(model) if model is not None else None
        found.append(summary)
        if model is None:
            continue
        if member.judged and summary is not None and kept + member.size <= _KEPT:
            kept += member.size
            models[member.path] = model
        else:
            model.let_go()
    return found


def _model(member: Member) -> FileModel | None:
    try:
        source = member.source()
    except UnreadableSource:
        return None
    tree = parse(source)
    if isinstance(tree, Failure):
        return None
    return FileModel(source, tree, member.config, replace(ALONE, names_device=member.names_device))


def _summary(model: FileModel) -> Summary | None:
    from trainlint.linking.summarise import summarise

    try:
        return summarise(model)
    except Exception:  # noqa: BLE001  # judging the file meets the same crash and reports it
        return None


def _size(member: Member) -> int:
    return member.size


def _no_summary(member: Member, error: BaseException) -> None:
    """Judging the file dies as well and says so; of a neighbour nobody asked."""
