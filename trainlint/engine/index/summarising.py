"""Summarises the files that take part. Summaries that the cache has are not made again."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trainlint.engine.cache_keys import key_of_summary
from trainlint.engine.index.summary_result import SummaryResult
from trainlint.engine.parsing import parse
from trainlint.engine.pool.tasks import Executor, TaskKind
from trainlint.engine.read import code_of, may_hold_findings
from trainlint.engine.time_limit import TookTooLong, time_limit
from trainlint.finding import Failure
from trainlint.source import UnreadableSource
from trainlint.suppress import ignored_lines

if TYPE_CHECKING:
    from trainlint.analysis.project.summary import Summary
    from trainlint.analysis.semantic_model import SemanticModel
    from trainlint.cache.cache import Cache
    from trainlint.engine.index.project_files import Member
    from trainlint.engine.pool.model_store import ModelStore


def summarise_all(members: Sequence[Member], executor: Executor, cache: Cache | None) -> list[SummaryResult]:
    """Each file's summary, in their order; of a summary that the cache has, the digest alone."""
    if cache is None:
        return _summarised(members, executor)
    keys = [key_of_summary(member, cache) for member in members]
    known = cache.store.marks([key for key in keys if key is not None])
    new = [member for member, key in zip(members, keys, strict=True) if key not in known]
    cache.recalled.summaries = (len(members) - len(new), len(members))
    cache.rest()
    made = iter(_summarised(new, executor))
    results: list[SummaryResult] = []
    for member, key in zip(members, keys, strict=True):
        if key in known:
            results.append(SummaryResult(digest=known[key]))
            continue
        result = next(made)
        if key is not None and result.packed is not None:
            cache.keep_packed(key, result.packed, result.digest, member.path)
        results.append(result)
    return results


def complete(
    results: list[SummaryResult], numbers: Sequence[int], members: Sequence[Member], executor: Executor, cache: Cache
) -> None:
    """Replace results of which only the digest is known, among those with these numbers, by whole ones."""
    wanted = {number: key_of_summary(members[number], cache) for number in numbers if not results[number].is_at_hand}
    values = cache.store.values([key for key in wanted.values() if key is not None])
    for number, key in wanted.items():
        results[number] = SummaryResult(packed=values.get(key) if key is not None else None)
    # What another process has dropped meanwhile, or what is damaged, is made once more.
    lost = [number for number in wanted if results[number].summary is None]
    if lost:
        cache.rest()
        for number, result in zip(lost, _summarised([members[number] for number in lost], executor), strict=True):
            results[number] = result


def summarise_file(member: Member, store: ModelStore) -> SummaryResult:
    """Summarise one file. Its model is kept for judging it if there is room, else the packed summary.

    Of a file in which no rule could find anything, it is kept that it was parsed.
    """
    model = None
    try:
        with time_limit(member.config.file_time_limit):
            model = _model(member)
            summary = _summary(model) if model is not None else None
    except TookTooLong as error:
        error.during = "linking it with others"
        return _failed(member, str(error))
    result = SummaryResult(summary)
    if model is None:
        return result
    if summary is not None and member.judged:
        if not may_hold_findings(code_of(model.source), with_torch=True):
            model.forget_code()
            store.put(member.path, model, 0)
            return result
        if store.has_room(member.size):
            model.rest()
            store.put(member.path, model, member.size)
            return result
        packed = result.pack()
        if packed is not None:
            store.put_packed(member.path, model.source.text, packed)
    model.release()
    return result


def _summarised(members: Sequence[Member], executor: Executor) -> list[SummaryResult]:
    return executor.run_tasks(TaskKind(summarise_file, _crashed_summary, "reading files"), members)


def _crashed_summary(member: Member, how: str) -> SummaryResult:
    return _failed(member, f"{how}; please report this, and exclude the file meanwhile")


def _failed(member: Member, reason: str) -> SummaryResult:
    return SummaryResult(failure=Failure(member.shown, reason) if member.judged else None, given_up=True)


def _model(member: Member) -> SemanticModel | None:
    from trainlint.analysis.semantic_model import SemanticModel

    try:
        source = member.source()
    except UnreadableSource:
        return None
    tree = parse(source)
    if isinstance(tree, Failure):
        return None
    return SemanticModel(
        source,
        tree,
        member.config,
        member.known_early,
    )


def _summary(model: SemanticModel) -> Summary | None:
    from trainlint.analysis.project.summarise import summarise

    try:
        summary = summarise(model)
        lines = {place.node.lineno for place in model.outline.all_calls() if isinstance(place.node, ast.Call)}
        ignored = ignored_lines(model.source, model.tree, sorted(lines))
        return replace(summary, ignored=ignored) if ignored else summary
    except Exception:  # noqa: BLE001  # judging the file meets the same crash and reports it
        return None
