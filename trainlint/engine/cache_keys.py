"""The keys of results in the cache: each names all that its result depends on. docs/cache.md explains them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from trainlint.config.keys import Invalidates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.cache.cache import Cache
    from trainlint.config import Config
    from trainlint.engine.discover import Target
    from trainlint.engine.index.project_files import Member, ProjectFiles
    from trainlint.engine.work import Job


@lru_cache(maxsize=64)
def settings_text(config: Config, *, verdicts: bool = True) -> str:
    """The settings that one file's findings depend on or, without `verdicts`, only those that its summary does."""
    counting = {Invalidates.SUMMARIES, Invalidates.FINDINGS} if verdicts else {Invalidates.SUMMARIES}
    return repr([(key.name, getattr(config, key.field)) for key in config.keys if key.invalidates in counting])


def key_of_run(jobs: Sequence[Job], files: ProjectFiles, cache: Cache) -> bytes | None:
    """The key of the result of a whole run.

    Context files are looked for only where the files of the run alone are not the key of a kept run. None where a
    file cannot be read: the result is not kept then.
    """
    of_run: list[tuple[Target, Config | None]] = [(job.target, job.selection.config) for job in jobs]
    alone = _key_of_files(of_run, "alone", files, cache)
    if alone is None or cache.store.marks([alone]) or not files.may_hold_findings:
        return alone
    context = [(target, files.config_of(target.path)) for target in files.context]
    shipped = files.shipped.digest([target.path for target, _ in (*of_run, *context)], cache)
    return _key_of_files([*of_run, *context], f"{len(jobs)} {shipped.hex()}", files, cache)


def _key_of_files(
    targets: Sequence[tuple[Target, Config | None]], judged: str, files: ProjectFiles, cache: Cache
) -> bytes | None:
    cache.contents.look([str(target.path) for target, _ in targets])
    facts: list[str | bytes] = [str(Path.cwd()), judged]
    numbers: dict[int, str] = {}
    for target, config in targets:
        held = cache.contents.digest(str(target.path))
        if held is None:
            return None
        number = numbers.get(id(config))
        if number is None:
            number = numbers[id(config)] = str(len(numbers))
            facts.append(repr(config))
        facts += (str(target.path), target.shown, held, number, str(files.root_of(target.path)))
    return cache.key("run", *facts)


def key_of_outcome(job: Job, cache: Cache) -> bytes | None:
    """The key of what judging a file gives; None for an unreadable file."""
    from trainlint.cache.values import value_digest  # not needed where the whole run is known

    codes = " ".join(rule.code for rule in job.rules)
    imported = (job.facts_digest or value_digest(job.imported_facts)).hex()
    executed = repr((job.operations, job.frequencies))
    return cache.key_of_file(
        "outcome", job.path, job.target.shown, settings_text(job.selection.config), codes, imported, executed
    )


def key_of_summary(member: Member, cache: Cache) -> bytes | None:
    """The key of a file's summary; None for an unreadable file.

    None also for the text of an editor, which changes with each keystroke.
    """
    if member.text is not None:
        return None
    facts = (
        member.shown,
        settings_text(member.config, verdicts=False),
        f"{member.names_device} {member.never_updates}",
    )
    return cache.key_of_file("summary", member.path, *facts)


def key_of_group(members: Sequence[Member], summaries: Sequence[bytes], cache: Cache) -> bytes:
    """The key of what linking the files of a group gives.

    `summaries` are the digests of their summaries.
    """
    facts: list[str | bytes] = []
    for member, digest in zip(members, summaries, strict=True):
        facts += (
            str(member.path),
            f"{member.names_device} {member.reaches_torch} {member.serves_torch}",
            f"{member.never_updates} {member.judged} {member.standing}",
            digest,
        )
    return cache.key("link", *facts)
