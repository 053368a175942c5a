"""What `trainlint check` shows of a run, and where."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from trainlint.cli import console
from trainlint.cli.console import UsageError
from trainlint.engine.discover import Discovery, Target, shown_path
from trainlint.report import Settings, Style, render, render_statistics
from trainlint.report.settings import style_for
from trainlint.report.words import count, failure_sentence, summary, unapplied_sentence
from trainlint.source import SourceFile, UnreadableSource, decode_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import TextIO

    from trainlint.cache.cache import Cache
    from trainlint.engine.configurations import Configurations
    from trainlint.engine.run import Run
    from trainlint.finding import Failure, Report
    from trainlint.report import Sources

FOR_PEOPLE = ("full", "concise")
_IN_REPOSITORY = ("github", "sarif")


class SourcesOnDisk:
    """The texts that findings are about, read again when a report wants to show them."""

    def __init__(self, targets: Iterable[Target]) -> None:
        self._paths = {target.shown: target.path for target in targets}
        self._texts: dict[str, SourceFile | None] = {}

    def __call__(self, shown: str) -> SourceFile | None:
        """The text of a file by the path that findings carry; None where it can no longer be read."""
        if shown not in self._texts:
            try:
                self._texts[shown] = decode_source(shown, self._paths[shown].read_bytes())
            except (KeyError, OSError, UnreadableSource):
                self._texts[shown] = None
        return self._texts[shown]


def show_report(
    report: Report, sources: Sources, configurations: Configurations, options: Namespace, stream: TextIO | None = None
) -> None:
    """Print the report, or write it to the file that the user named. Raises UsageError where that cannot be."""
    tell_unapplied(report, options)
    stream = stream or sys.stdout
    if options.output_file is None:
        style = style_for(stream, options.color)
        console.write(stream, _text(report, sources, configurations, options, style))
        return
    text = _text(report, sources, configurations, options, Style(color=options.color == "always"))
    try:
        options.output_file.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"the report cannot be written to {options.output_file} ({error.strerror})") from error
    if not options.quiet:
        console.note(f"{summary(report)} The report is in {options.output_file}.")


def show_diff(found: Run, options: Namespace) -> None:
    """Print what fixes would change; what could not be judged, and a line of counts, go to stderr."""
    from trainlint.fixing import unified_difference

    for rewrite in found.rewrites:
        console.out(unified_difference(rewrite.before.path, rewrite.before.text, rewrite.after.text))
    tell_failures(found.report.failures)
    tell_unapplied(found.report, options)
    if options.quiet:
        return
    if found.rewrites:
        problems, files = count(found.report.fixed, "problem"), count(len(found.rewrites), "file")
        console.note(f"Would fix {problems} in {files}.")
    elif not found.report.failures:
        console.note("There is nothing to fix.")


def tell_failures(failures: Iterable[Failure]) -> None:
    """Say on stderr what could not be judged, where stdout holds something else than a report."""
    for failure in failures:
        console.note(f"error: {failure_sentence(failure)}")


def tell_unapplied(report: Report, options: Namespace) -> None:
    """Say on stderr which fixes could not be applied. Their findings stand in the report."""
    for fix in () if options.quiet else report.unapplied:
        console.note(f"note: {unapplied_sentence(fix)}")


def show_progress(
    discovery: Discovery,
    configurations: Configurations,
    found: Run,
    seconds: float,
    options: Namespace,
    cache: Cache | None = None,
) -> None:
    """Say on stderr how the run went: with --verbose in detail, and never that excluded files are clean."""
    if not (discovery.targets or discovery.failures or options.quiet):
        console.note(
            "trainlint: all paths that were named are excluded, so nothing was judged (--force-exclude is set)"
        )
    if not options.verbose:
        return
    here = Path.cwd()
    for source in configurations.sources():
        console.note(f"settings: {shown_path(Path(source), here)}" if source else "settings: no configuration file")
    for sentence in discovery.notes:
        console.note(f"note: {sentence}")
    for path in discovery.excluded:
        console.note(f"excluded: {path}")
    if found.neighbours:
        console.note(f"linked with: {count(found.neighbours, 'file')} besides, which are not judged")
    if cache is not None:
        console.note(f"cache: {_of_cache(cache, here)}")
    processes = "one process" if found.workers == 1 else f"{found.workers} processes"
    console.note(f"judged: {count(found.report.files, 'file')} in {processes}, {seconds:.2f} s")


def _of_cache(cache: Cache, here: Path) -> str:
    """How much came from the cache."""
    place, recalled = shown_path(cache.directory, here), cache.recalled
    if cache.trouble:
        return f"{place} is of no use ({cache.trouble})"
    if recalled.whole:
        return f"nothing has changed since this was last found out, by {place}"
    summaries, of_summaries = recalled.summaries
    outcomes, of_outcomes = recalled.outcomes
    return (
        f"{place} knew what {outcomes:,} of {count(of_outcomes, 'file')} gave, "
        f"and what {summaries:,} of {count(of_summaries, 'file')} say to others"
    )


def _text(report: Report, sources: Sources, configurations: Configurations, options: Namespace, style: Style) -> str:
    here = Path.cwd()
    settings = Settings(
        style=style,
        directory=str(here),
        repository=_repository(here) if options.output_format in _IN_REPOSITORY else None,
        summary=not options.quiet,
    )
    if options.statistics:
        return render_statistics(report, settings=settings)
    rules = configurations.rules_that_ran()
    return render(report, options.output_format, sources=sources, rules=rules, settings=settings)


def _repository(directory: Path) -> str | None:
    """The git repository that a directory is in: other tools know files by their place in it."""
    from trainlint.engine.git import repository_of

    repository = repository_of(directory)
    return str(repository) if repository else None
