"""Fixes over all files of a run until none is left.

A fix in one file can change what another file, or the same one, is told by linking: where a loader pins since it was
fixed, a copy of its batches can go on in the background. So files that changed are linked again, and those that are
told something new are judged and fixed again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trainlint.engine.work import Job, Outcome, Rewrite
from trainlint.engine.workers import judge_all
from trainlint.finding import UnappliedFix

if TYPE_CHECKING:
    from pathlib import Path

    from trainlint.engine.pool.tasks import Executor
    from trainlint.engine.rewriting import Fixing
    from trainlint.source import SourceFile

PASSES = 10
"""How many passes may change files before their fixes count as endless."""

Relinked = Callable[[Mapping["Path", "SourceFile"]], Sequence[Job] | None]
"""The jobs of the run with what their projects say of them when some files hold other texts; None where that is not to
be had."""


def fixed_in_passes(jobs: Sequence[Job], fixing: Fixing, executor: Executor, relinked: Relinked) -> list[Outcome]:
    """What judging and fixing all files gives, in their order. Nothing is written.

    The last pass applies nothing, so a second run over the result changes nothing. Rules whose fixes never come to an
    end, as one undoes in a file what another needs elsewhere, are left out from the start, and are named.
    """
    notes: list[tuple[Path, UnappliedFix]] = []
    while True:
        passes = _Passes(jobs, replace(fixing, ignore_reason=None), executor)
        fought = passes.repeat(relinked)
        if not fought:
            break
        endless = frozenset(code for _, code in fought)
        reason = (
            f"the fixes of {' and '.join(sorted(endless))} do not end after {PASSES} passes over the files, "
            "so none was applied; please report these rules"
        )
        shown = {job.path: job.target.shown for job in jobs}
        notes += [(path, UnappliedFix(shown[path], code, reason)) for path, code in sorted(fought)]
        fixing = replace(fixing, endless=fixing.endless | endless)
    if fixing.ignore_reason is not None:
        passes.add_ignores(replace(fixing, limit=None))
    outcomes = passes.outcomes
    for path, note in reversed(notes):
        outcomes[path] = replace(outcomes[path], unapplied=(note, *outcomes[path].unapplied))
    return [outcomes[job.path] for job in jobs]


class _Passes:
    """The passes over the files, without the rules known to be endless."""

    def __init__(self, jobs: Sequence[Job], fixing: Fixing, executor: Executor) -> None:
        self.outcomes: dict[Path, Outcome] = {}
        """Of all passes so far."""
        self._fixing = fixing
        self._executor = executor
        self._judged = {job.path: job for job in jobs}
        """Each file as it was judged last."""
        self._texts_at_start = {job.path: job.text for job in jobs}

    def repeat(self, relinked: Relinked) -> set[tuple[Path, str]]:
        """Do the passes. Where they do not end, the files and rules that the last two fixed, else nothing."""
        last: set[tuple[Path, str]] = set()
        todo: Sequence[Job] = list(self._judged.values())
        for _ in range(PASSES):
            before, last = last, self._pass(todo, self._fixing)
            if not last:
                return set()
            jobs = relinked(self._texts())
            if jobs is None:
                return set()
            changed = {path for path, _ in last}
            todo = [replace(job, text=self._text(job.path)) for job in jobs if job.path in changed or self._is_new(job)]
        return before | last

    def add_ignores(self, fixing: Fixing) -> None:
        """Add ignore comments for what stays."""
        staying = {path: outcome for path, outcome in self.outcomes.items() if outcome.findings}
        self._pass([replace(self._judged[path], text=self._text(path)) for path in staying], fixing)
        for path, outcome in staying.items():
            notes = (*outcome.unapplied, *self.outcomes[path].unapplied)
            self.outcomes[path] = replace(self.outcomes[path], unapplied=notes)

    def _pass(self, jobs: Sequence[Job], fixing: Fixing) -> set[tuple[Path, str]]:
        """Judge and fix some files; what was fixed."""
        fixed: set[tuple[Path, str]] = set()
        for job, outcome in zip(jobs, judge_all(jobs, fixing, self._executor), strict=True):
            earlier = self.outcomes.get(job.path)
            self._judged[job.path] = job
            self.outcomes[job.path] = outcome if earlier is None else _after(earlier, outcome)
            if outcome.rewrite is not None:
                fixed |= {(job.path, code) for code, _ in outcome.fixed}
        return fixed

    def _texts(self) -> dict[Path, SourceFile]:
        """What counts in place of files: texts that were given, and what fixes made of those and of files."""
        texts = {path: self._text(path) for path in self._judged}
        return {path: text for path, text in texts.items() if text is not None}

    def _text(self, path: Path) -> SourceFile | None:
        outcome = self.outcomes[path]
        return outcome.rewrite.after if outcome.rewrite is not None else self._texts_at_start[path]

    def _is_new(self, job: Job) -> bool:
        """Whether a file is told something else than when it was judged last."""
        judged = self._judged[job.path]
        if (job.operations, job.frequencies) != (judged.operations, judged.frequencies):
            return True
        if job.facts_digest and judged.facts_digest:
            return job.facts_digest != judged.facts_digest
        return job.imported_facts != judged.imported_facts


def _after(earlier: Outcome, later: Outcome) -> Outcome:
    """What two passes together made of a file. What stands, and what could not be done, is as the later one says."""
    fixed = Counter(dict(earlier.fixed)) + Counter(dict(later.fixed))
    rewrite = later.rewrite or earlier.rewrite
    if earlier.rewrite is not None and later.rewrite is not None:
        rewrite = replace(earlier.rewrite, after=later.rewrite.after)
    return replace(
        later,
        before=earlier.before,
        fixed=tuple(sorted(fixed.items())),
        ignored=earlier.ignored + later.ignored,
        rewrite=rewrite if rewrite is None or _changes(rewrite) else None,
    )


def _changes(rewrite: Rewrite) -> bool:
    return rewrite.before.text != rewrite.after.text
