"""`trainlint baseline`: write down the findings that there are, or drop those that are gone."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.baseline.file import DEFAULT_NAME, baseline_text
from trainlint.cli import console
from trainlint.cli.caching import cache_for
from trainlint.cli.check import configurations_of
from trainlint.cli.console import UsageError
from trainlint.cli.new_code.against_baseline import BaselineComparison, compare_with_baseline, usable_baselines
from trainlint.cli.new_code.judged import JudgedFiles
from trainlint.cli.output import SourcesOnDisk, tell_failures
from trainlint.cli.report_file import require_writable, write_report
from trainlint.engine.configurations import Configurations, Misconfigured
from trainlint.engine.discover import discover
from trainlint.engine.run import run
from trainlint.paths import absolute, exists, shown_path
from trainlint.report.characters import quoted
from trainlint.report.words import count

if TYPE_CHECKING:
    from argparse import Namespace

    from trainlint.baseline.matching import Entry

DONE, COULD_NOT_JUDGE = 0, 2


def baseline(options: Namespace) -> int:
    """Judge what the user named, and write the baseline. Raises UsageError."""
    if "" in options.paths or "-" in options.paths:
        raise UsageError("a baseline is about files: name files or directories, or nothing for the working directory")
    configurations = configurations_of(options)
    place = _place(options, configurations)
    shown = shown_path(place, Path.cwd())
    is_there = exists(place)
    if options.prune and not is_there:
        raise UsageError(f"{shown}: there is no such baseline to prune; name it with -o, or write it without --prune")
    known = usable_baselines([str(place)])[str(place)] if is_there else ()
    paths = [Path(path) for path in options.paths] or [Path()]
    discovery = discover(paths, configurations.excludes, force_exclude=configurations.forces_exclude)
    require_writable(place, discovery.targets)
    found = run(discovery, configurations, workers=options.jobs, cache=cache_for(options, paths))
    files = JudgedFiles(configurations, {target.shown: target.path for target in discovery.targets}, discovery.searched)
    sources = SourcesOnDisk(discovery.targets)
    beside = compare_with_baseline(found.report.findings, known, files, found.report, sources)
    entries = _pruned(beside) if options.prune else _written_anew(beside, files)
    tell_failures(found.report.failures)
    write_report(place, baseline_text(entries, os.path.dirname(place)))
    _print_summary(beside, entries, shown, options)
    if not options.prune and files.baseline_of(str(Path.cwd() / "any")) in (None, str(place)):
        _tell_use(place, shown, entries, files, options)
    return COULD_NOT_JUDGE if found.report.failures else DONE


def _place(options: Namespace, configurations: Configurations) -> Path:
    """Where the baseline lies: as typed, as configured for the working directory, or under the usual name."""
    if options.output_file is not None:
        return absolute(options.output_file)
    try:
        configured = configurations.of(Path.cwd()).config.baseline
    except Misconfigured as error:
        raise UsageError(str(error)) from error
    return Path(configured) if configured is not None else Path.cwd() / DEFAULT_NAME


def _pruned(beside: BaselineComparison) -> list[Entry]:
    """What the baseline lists, at its present places, without what is gone."""
    gone = set(map(id, beside.gone))
    moved = [entry for entry, known in zip(beside.entries, beside.matched.entry_of, strict=True) if known is not None]
    return [*moved, *(entry for entry in beside.matched.left if id(entry) not in gone)]


def _written_anew(beside: BaselineComparison, files: JudgedFiles) -> list[Entry]:
    """The findings of this run, and what the baseline lists of files that were not judged now."""
    judged = set(map(str, files.paths.values()))
    gone = set(map(id, beside.gone))
    return [
        *beside.entries,
        *(left for left in beside.matched.left if left.path not in judged and id(left) not in gone),
    ]


def _print_summary(beside: BaselineComparison, entries: list[Entry], shown: str, options: Namespace) -> None:
    number = len({entry.path for entry in entries})
    now = f"{quoted(shown)} lists {count(len(entries), 'finding')} in {count(number, 'file')}."
    if options.prune:
        console.out(f"Dropped {count(len(beside.gone), 'stale entry').replace('entrys', 'entries')}. {now}\n")
        return
    console.out(f"{now}\n")
    elsewhere = len(entries) - len(beside.entries)
    if elsewhere:
        console.note(f"{count(elsewhere, 'entry').replace('entrys', 'entries')} of files that were not judged stay.")


def _tell_use(place: Path, shown: str, entries: list[Entry], files: JudgedFiles, options: Namespace) -> None:
    """Name the baseline in the configurations of the files that it lists and say so; else say how it is used."""
    named: list[str] = []
    unnamed: list[str] = []
    if not options.isolated:
        from trainlint.cli.new_code.baseline_key import name_baseline

        for source in _silent_sources(entries, files):
            if (written := name_baseline(place, source)) is not None:
                named.append(quoted(written))
            elif source is not None:
                unnamed.append(source)
    if named:
        those = ", ".join(named)
        console.note(f"Added `baseline` to {those}: `trainlint check` reports only new findings from now on.")
        console.note(f"Commit {quoted(shown)} and {those}.")
    elif files.baseline_of(str(Path.cwd() / "any")) is None:
        console.note(f"Commit {quoted(shown)}, and run `trainlint check --baseline {quoted(shown)}`.")
        return
    for source in unnamed:
        config = Path(shown_path(Path(source), Path.cwd()))
        console.note(f"{quoted(str(config))} cannot name it; run `trainlint baseline` in {quoted(str(config.parent))}.")


def _silent_sources(entries: list[Entry], files: JudgedFiles) -> list[str | None]:
    """The configuration files of the working directory and of all listed files that name no baseline, each once."""
    found: dict[str | None, None] = {}
    for path in (str(Path.cwd() / "any"), *(entry.path for entry in entries)):
        with suppress(Misconfigured):  # its files have failed, which was said
            config = files.configurations.of(Path(path).parent).config
            if config.baseline is None:
                found[config.source] = None
    return list(found)
