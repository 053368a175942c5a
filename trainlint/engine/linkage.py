"""Links the files of a run: each is summarised, and told what the others say of it.

Files that are not to be judged may take part, too: what they call is known, and nothing else is said of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.engine.members import Member, may_tell
from trainlint.engine.parsing import parse
from trainlint.engine.pool.tasks import Executor, LocalExecutor, TaskKind
from trainlint.engine.summarised import Summarised
from trainlint.engine.time_limit import TookTooLong, time_limit
from trainlint.finding import Failure
from trainlint.records import dataclass, field, replace
from trainlint.source import UnreadableSource

if TYPE_CHECKING:
    from trainlint.analysis.project.summary import Summary
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.types.imported_facts import ImportedFacts
    from trainlint.cache.cache import Cache
    from trainlint.engine.pool.model_store import ModelStore
    from trainlint.engine.surroundings import Surroundings


@dataclass(slots=True)
class Linkage:
    """What linking found out."""

    outsides: dict[Path, ImportedFacts] = field(default_factory=dict)
    marks: dict[Path, bytes] = field(default_factory=dict)
    """What stands for these, as far as the cache knows."""
    neighbours: int = 0
    """How many files took part that are not judged."""
    failures: tuple[Failure, ...] = ()
    given_up: frozenset[Path] = frozenset()
    """Files that took too long, or ended their process: a failure says so, and they are not tried again."""

    def of(self, path: Path) -> ImportedFacts | None:
        """What the other files say of one; None where they say nothing."""
        return self.outsides.get(path)


def linked(
    files: Sequence[Member], surroundings: Surroundings, executor: Executor | None = None, cache: Cache | None = None
) -> Linkage:
    """Link the files of a run with each other and with their neighbours in the project.

    Every file that the cache does not know is summarised by the `executor`, who keeps models for judging where there is
    room. Where no file of the run may hold a finding, none is looked at.
    """
    linkage = Linkage()
    if not any(map(may_tell, files)):
        return linkage
    try:
        _link(linkage, files, surroundings, executor or LocalExecutor(), cache)
    except Exception as error:  # noqa: BLE001  # a crash while linking must not keep any file from being judged
        reason = f"its files could not be linked ({type(error).__name__}: {error}), so each was judged alone"
        linkage.failures += (Failure(files[0].shown, f"{reason}; please report this"),)
    return linkage


def _is_alone(path: Path, surroundings: Surroundings) -> bool:
    """Whether a file has nobody to tell anything: to find that out by a glance at it takes as long as judging it."""
    return all(target.path == path for target in surroundings.around([path]))


def _link(
    linkage: Linkage, files: Sequence[Member], surroundings: Surroundings, executor: Executor, cache: Cache | None
) -> None:
    if len(files) == 1 and _is_alone(files[0].path, surroundings):
        return
    from trainlint.engine.participants import taking_part

    party = taking_part(files, surroundings, cache)
    members = party.members
    if not members:
        return
    from trainlint.analysis.types.imported_facts import ALONE

    linkage.outsides |= {member.path: replace(ALONE, names_device=member.names_device) for member in members}
    linkage.neighbours = sum(not member.judged for member in members)
    if cache is None:
        results = summarised(members, executor)
        for group in groups(members):
            summaries = [results[number].take() for number in group]
            linkage.outsides |= outsides([members[n] for n in group], summaries, party.methods_elsewhere)
    else:
        from trainlint.engine.relinking import relinked, resummarised

        results = resummarised(members, executor, cache)
        relinked(linkage, members, results, party.methods_elsewhere, executor, cache)
    linkage.failures = tuple(result.failure for result in results if result.failure)
    linkage.given_up = frozenset(member.path for member, result in zip(members, results, strict=True) if result.failure)


def summarised(members: Sequence[Member], executor: Executor) -> list[Summarised]:
    """Each file's summary."""
    return executor.do(TaskKind(summarise_file, _lost), members)


def groups(members: Sequence[Member]) -> list[list[int]]:
    """The members by their places, group by group: those of one group tell those of another nothing."""
    found: dict[int, list[int]] = {}
    for number, member in enumerate(members):
        found.setdefault(member.group, []).append(number)
    return list(found.values())


def outsides(
    members: Sequence[Member], summaries: Sequence[Summary | None], ambiguous: frozenset[str]
) -> dict[Path, ImportedFacts]:
    """What the judged files of a group are told. `ambiguous` names methods of files that were left out."""
    from trainlint.analysis.project.linking import link  # with the model, of which a file alone may need little

    found = [(member, summary) for member, summary in zip(members, summaries, strict=True) if summary]
    told = link(
        [_without_guesses(summary, ambiguous) for _, summary in found],
        [member.path for member, _ in found],
        [member.group for member, _ in found],
        [member.judged for member, _ in found],
    )
    return {
        member.path: replace(outside, names_device=member.names_device)
        for (member, _), outside in zip(found, told, strict=True)
    }


def _without_guesses(summary: Summary, ambiguous: frozenset[str]) -> Summary:
    """No call is linked by the mere name of a method where files that were left out have methods of that name."""
    if not any(call.method in ambiguous for call in summary.calls):
        return summary
    calls = (replace(call, method="") if call.method in ambiguous else call for call in summary.calls)
    return replace(summary, calls=tuple(calls))


def summarise_file(member: Member, store: ModelStore) -> Summarised:
    """Summarise one file. Its model is kept for judging it, if there is room, or else the packed summary."""
    model = None
    try:
        with time_limit(member.config.file_time_limit):
            model = _model(member)
            summary = _summary(model) if model is not None else None
    except TookTooLong as error:
        error.during = "linking it with others"
        return _failed(member, str(error))
    result = Summarised(summary)
    if model is None:
        return result
    if summary is not None and member.judged:
        if store.has_room(member.size):
            store.put(member.path, model, member.size)
            return result
        packed = result.pack()
        if packed is not None:
            store.put_packed(member.path, model.source.text, packed)
    model.release()
    return result


def _lost(member: Member, how: str) -> Summarised:
    return _failed(member, f"{how}; please report this, and exclude the file meanwhile")


def _failed(member: Member, reason: str) -> Summarised:
    return Summarised(failure=Failure(member.shown, reason) if member.judged else None)


def _model(member: Member) -> SemanticModel | None:
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.analysis.types.imported_facts import ALONE

    try:
        source = member.source()
    except UnreadableSource:
        return None
    tree = parse(source)
    if isinstance(tree, Failure):
        return None
    return SemanticModel(source, tree, member.config, replace(ALONE, names_device=member.names_device))


def _summary(model: SemanticModel) -> Summary | None:
    from trainlint.analysis.project.summarise import summarise

    try:
        return summarise(model)
    except Exception:  # noqa: BLE001  # judging the file meets the same crash and reports it
        return None
