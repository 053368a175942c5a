"""Links the files of one run, and links them again when fixes have changed some of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.engine.index.executing import ExecutedFiles, RunMemory, execute_files
from trainlint.engine.index.project_files import largest_judged
from trainlint.engine.index.project_index import ProjectIndex, build_index
from trainlint.engine.parsing import crash
from trainlint.engine.pool.tasks import LocalExecutor
from trainlint.finding import NOTHING_EXECUTED, Failure

if TYPE_CHECKING:
    from trainlint.cache.cache import Cache
    from trainlint.engine.index.link_memory import LinkMemory
    from trainlint.engine.index.project_files import ProjectFiles
    from trainlint.engine.pool.tasks import Executor
    from trainlint.engine.work import Job
    from trainlint.source import SourceFile


class Linker:
    """Says which jobs a run has, each with what the other files say of its file."""

    def __init__(
        self,
        jobs: Sequence[Job],
        files: ProjectFiles,
        executor: Executor | None = None,
        cache: Cache | None = None,
        memory: LinkMemory | None = None,
    ) -> None:
        """All but the jobs is as in `build_index`."""
        self._jobs = jobs
        self._files = files
        self._executor = LocalExecutor() if executor is None else executor
        self._cache = cache
        self._executed = RunMemory(keeps_trees=False) if memory is None else memory.executed
        self.index: ProjectIndex = build_index(files, self._executor, cache, memory)
        """What linking the files as they were found gave."""
        self._not_executed: Sequence[Failure] = ()
        self.jobs = self._with_facts(self.index, files)
        """The jobs, without those that linking gave up."""
        self._later_failures: tuple[Failure, ...] = ()

    @property
    def failures(self) -> Sequence[Failure]:
        """What went wrong in linking."""
        return (*self.index.failures, *self._not_executed, *self._later_failures)

    def relinked(self, texts: Mapping[Path, SourceFile]) -> list[Job] | None:
        """The jobs when these texts count in place of what their files hold; None where linking fails then.

        With a cache, only the files of these texts are summarised.
        """
        if self._cache is not None:
            self._cache.save()  # what was just found out about the files on disk can be looked up then
        files = self._files.with_texts(texts)
        index = build_index(files, self._executor, self._cache)
        failures = tuple(failure for failure in index.failures if failure not in self.index.failures)
        if failures or index.given_up != self.index.given_up:
            self._later_failures = failures
            return None
        return self._with_facts(index, files)

    def _with_facts(self, index: ProjectIndex, files: ProjectFiles) -> list[Job]:
        executed = self._run(index, files)
        self._not_executed = executed.failures
        return [
            replace(
                job,
                imported_facts=index.imported_facts.get(job.path),
                facts_digest=index.digests.get(job.path, b""),
                operations=executed.operations.get(job.path, ()),
                frequencies=executed.frequencies.get(job.path, NOTHING_EXECUTED),
            )
            for job in self._jobs
            if job.path not in index.given_up
        ]

    def _run(self, index: ProjectIndex, files: ProjectFiles) -> ExecutedFiles:
        """What the files execute in training steps, where there are any and rules want to know."""
        if not index.may_train:
            return ExecutedFiles()
        # What ended a process is not tried again in this one.
        linked = [member for member in index.members if member.path not in index.given_up]
        alone = [member for member in files.members if member.path in index.alone]
        try:
            return execute_files(linked, alone, files.shipped, self._cache, self._executed, self._executor.trees)
        except Exception as error:  # noqa: BLE001  # as in linking
            reason = (
                f"what its files do in training steps is not known, and rules about that were not asked: {crash(error)}"
            )
            return ExecutedFiles(failures=(Failure(largest_judged(files.members), reason),))
