"""What a run knows from earlier ones of its results: those of single files, and those of a run as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trainlint.engine.members import Member, may_tell
from trainlint.engine.unchosen import unchosen
from trainlint.engine.work import Job, Outcome
from trainlint.finding import Report
from trainlint.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.cache.cache import Cache
    from trainlint.config import Config
    from trainlint.engine.discover import Target
    from trainlint.engine.pool.tasks import Executor
    from trainlint.engine.surroundings import Surroundings


@dataclass(frozen=True, slots=True)
class WholeRun:
    """What came of a run."""

    report: Report
    failing: bool
    neighbours: int


def key_of_run(
    jobs: Sequence[Job], members: Sequence[Member], surroundings: Surroundings, cache: Cache
) -> bytes | None:
    """The key of a run over these files: all that it depends on.

    Their neighbours are looked for only where the files alone do not make a run that was kept. No key where a file
    cannot be read: what comes of that is not kept.
    """
    files: list[tuple[Target, Config | None]] = [(job.target, job.selection.config) for job in jobs]
    alone = _key_of_files(files, "alone", cache)
    if alone is None or cache.store.marks([alone]) or not any(map(may_tell, members)):
        return alone
    around = surroundings.around([member.path for member in members])
    files += [(target, surroundings.config_of(target.path)) for target in around]
    return _key_of_files(files, str(len(jobs)), cache)


def _key_of_files(files: Sequence[tuple[Target, Config | None]], judged: str, cache: Cache) -> bytes | None:
    cache.contents.look([str(target.path) for target, _ in files])
    facts: list[str | bytes] = [str(Path.cwd()), judged]
    numbers: dict[int, str] = {}
    for target, config in files:
        held = cache.contents.digest(str(target.path))
        if held is None:
            return None
        number = numbers.get(id(config))
        if number is None:
            number = numbers[id(config)] = str(len(numbers))
            facts.append(repr(config))
        facts += (str(target.path), target.shown, held, number)
    return cache.key("run", *facts)


def known_run(key: bytes | None, cache: Cache) -> WholeRun | None:
    """The run with this key, if it was kept."""
    found = cache.get({"run": key}).get("run")
    cache.recalled.whole = isinstance(found, WholeRun)
    return found if isinstance(found, WholeRun) else None


def keep_run(key: bytes | None, run: WholeRun, cache: Cache) -> None:
    """Keep a run in which nothing went wrong that may go well another time."""
    if all(failure.lasting for failure in run.report.failures):
        cache.keep(key, run)


def judged_anew(jobs: Sequence[Job], executor: Executor, cache: Cache) -> list[Outcome]:
    """What judging files gives. Those that hold and are told what they did then are not judged again."""
    from trainlint.engine.workers import judge_all

    keys = {job.path: _key_of_outcome(job, cache) for job in jobs}
    known = {path: found for path, found in cache.get(keys).items() if isinstance(found, Outcome)}
    new = [job for job in jobs if job.path not in known]
    cache.recalled.outcomes = (len(known), len(jobs))
    cache.rest()
    for job, outcome in zip(new, judge_all(new, None, executor), strict=True):
        known[job.path] = outcome
        # What went wrong may go well another time.
        if all(failure.lasting for failure in outcome.failures):
            cache.keep(keys[job.path], outcome, job.path)
    return [known[job.path] for job in jobs]


def _key_of_outcome(job: Job, cache: Cache) -> bytes | None:
    from trainlint.cache.values import mark  # a run of which all is known needs none

    codes = " ".join(rule.code for rule in job.rules)
    told = (job.outside_mark or mark(job.outside)).hex()
    return cache.key_of_file("outcome", job.path, job.target.shown, unchosen(job.selection.config), codes, told)
