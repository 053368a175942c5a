"""The open files of one project in a process that stays, such as an editor's server: judged again as they change.

A text goes the same way as a file in `engine.run`. What is new is what is kept between two judgements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.engine.discover import is_left_out
from trainlint.engine.index.link_memory import LinkMemory
from trainlint.engine.pool.process_settings import settings_for_judging
from trainlint.engine.run import jobs_for_texts
from trainlint.engine.work import Job, Outcome, as_of, do_text

if TYPE_CHECKING:
    from trainlint.cache.cache import Cache
    from trainlint.engine.configurations import Configurations
    from trainlint.engine.rewriting import Fixing
    from trainlint.finding import Failure
    from trainlint.source import SourceFile


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the open files of a project gave."""

    outcomes: Mapping[Path, Outcome]
    """Of each file that could be linked, by its absolute path."""
    failures: Sequence[Failure]
    """Whatever else could not be judged, such as the files of a directory with a wrong configuration."""

    def failures_of(self, shown: str) -> Sequence[Failure]:
        """Those that name one file."""
        return [failure for failure in self.failures if failure.path == shown]


@dataclass(frozen=True, slots=True)
class _Judged:
    """A file as it was linked and judged last."""

    source: SourceFile
    job: Job
    outcome: Outcome


class Session:
    """Judges texts in the context of their project. Texts count in place of what their files hold; none is written.

    All paths are absolute. Between two calls the working directory stays the same: reports name files as seen from it.
    """

    def __init__(
        self,
        configurations: Configurations,
        cache: Callable[[], Cache | None],
        interruptible: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """`cache` gives the cache with which files on disk are summarised, anew for each time.

        `interruptible` is put around linking, which takes longest; what is raised there leaves `judged`, and all that
        was found out until then is kept.
        """
        self._configurations = configurations
        self._cache = cache
        self._memory = LinkMemory(interruptible)
        self._known: dict[Path, _Judged] = {}

    def look_again(self) -> None:
        """Read configurations, directories and files on disk again, as far as they have changed."""
        self._configurations = self._configurations.untracked_copy()
        self._memory.look_again()

    def leaves_out(self, path: Path) -> bool:
        """Whether the configuration, or trainlint's own list of directories, excludes a file."""
        return is_left_out(path, self._configurations.excludes)

    def judged(self, texts: Mapping[Path, SourceFile]) -> Judgement:
        """What all open files of the project give. Nothing is computed again that does not depend on a change."""
        with settings_for_judging():
            cache = self._cache()
            jobs, failures = jobs_for_texts(texts, self._configurations, cache=cache, memory=self._memory)
            if cache is not None:
                cache.save()
            self._known = {job.path: self._judged(texts[job.path], job) for job in jobs}
        return Judgement({path: known.outcome for path, known in self._known.items()}, failures)

    def judged_at_once(self, path: Path, source: SourceFile, fixing: Fixing | None = None) -> Outcome | None:
        """What one file gives with what its project said of it when it was linked last; None before that.

        With `fixing`, its fixes are applied to the text that is handed back.
        """
        known = self._known.get(path)
        if known is None:
            return None
        with settings_for_judging():
            return do_text(source, as_of(source, known.source, known.job), fixing)

    def judged_alone(self, path: Path, source: SourceFile, fixing: Fixing | None = None) -> Judgement:
        """What a text gives whose place is not known, so that no project has a say.

        The configuration is that of `path`.
        """
        with settings_for_judging():
            jobs, failures = jobs_for_texts({path: source}, self._configurations, alone=True)
            return Judgement({job.path: do_text(source, job, fixing) for job in jobs}, failures)

    def _judged(self, source: SourceFile, job: Job) -> _Judged:
        known = self._known.get(job.path)
        if known is not None and known.source == source and known.job == job:
            return known
        return _Judged(source, job, do_text(source, job))
