"""What `trainlint check` shows of a run, and where."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from trainlint.cli import console
from trainlint.cli.console import UsageError
from trainlint.cli.outputs import outputs
from trainlint.engine.discover import Discovery, Target
from trainlint.engine.read import read_bytes
from trainlint.finding import Failure, Safety
from trainlint.handbook import FIX_FLAGS
from trainlint.paths import shown_path
from trainlint.report import FORMATS, Settings, Style, render, render_statistics
from trainlint.report.characters import for_terminal, has_commands, quoted
from trainlint.report.settings import style_for
from trainlint.report.words import count, failure_sentence, fixes_by_file, left_over, summary, unapplied_sentence
from trainlint.source import SourceFile, UnreadableSource, decode_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import TextIO

    from trainlint.cache.cache import Cache
    from trainlint.engine.configurations import Configurations
    from trainlint.engine.run import Run
    from trainlint.finding import Report
    from trainlint.report import Sources

_READS_COMMANDS = ("GITHUB_ACTIONS", "TEAMCITY_VERSION", "TF_BUILD")
"""Variables of the CI services that take lines of a log for commands."""


class SourcesOnDisk:
    """The texts that findings are about, read again when a report wants to show them."""

    def __init__(self, targets: Iterable[Target]) -> None:
        self._paths = {target.shown: target.path for target in targets}
        self._texts: dict[str, SourceFile | None] = {}

    def __call__(self, shown: str) -> SourceFile | None:
        """The text of a file by the path that findings carry; None where it can no longer be read."""
        if shown not in self._texts:
            try:
                self._texts[shown] = decode_source(shown, read_bytes(self._paths[shown]))
            except (KeyError, UnreadableSource):
                self._texts[shown] = None
        return self._texts[shown]


def show_report(
    report: Report, sources: Sources, configurations: Configurations, options: Namespace, stream: TextIO | None = None
) -> None:
    """Print the report, or write it to the files that the user named. Raises UsageError where that cannot be."""
    whole, report = report, _first_findings(report, options)
    tell_unapplied(report, options)
    tell_fixes(report, options)
    if options.show_fixes and not options.quiet and (left := left_over(whole)):
        console.note(left)
    lost: list[UsageError] = []
    written: list[str] = []
    for asked in outputs(options):
        if asked.file is None:
            stream = stream or sys.stdout
            style = style_for(stream, options.color)
            console.write(stream, _text(report, sources, configurations, options, asked.format, style))
            continue
        style = Style(color=options.color == "always")
        text = _text(report, sources, configurations, options, asked.format, style)
        from trainlint.cli.report_file import write_report

        try:
            write_report(asked.file, text)
        except UsageError as error:
            # Files may have been fixed meanwhile, so nobody could make this report again.
            console.write(stream or sys.stdout, text)
            lost.append(error)
            continue
        written.append(str(asked.file))
    if written and not options.quiet:
        are = "The report is" if len(written) == 1 else "The reports are"
        console.note(f"{summary(report)} {are} in {', '.join(written)}.")
    if lost:
        raise lost[0]


def _first_findings(report: Report, options: Namespace) -> Report:
    """The report with as many groups of findings as the user wants, the first in the order of the report."""
    most = options.max_findings
    if most is None:
        return report
    from trainlint.report.groups import groups_of

    groups = groups_of(report, by_path=options.sort == "path")
    if len(groups) <= most:
        return report
    kept = {finding for group in groups[:most] for finding in group.findings}
    findings = tuple(finding for finding in report.findings if finding in kept)
    if not all(FORMATS[asked.format].counts for asked in outputs(options)):
        console.note(f"{len(groups) - most} of {count(len(groups), 'problem')} are left out (--max-findings)")
    left_out = len(report.findings) - len(findings)
    return replace(report, findings=findings, left_out=report.left_out + left_out)


def require_writable_reports(options: Namespace, judged: Iterable[Target]) -> None:
    """Raise UsageError where a report cannot be written to its file. Looked at before anything is judged or fixed."""
    for asked in outputs(options):
        if asked.file is not None:
            from trainlint.cli.report_file import require_writable

            require_writable(asked.file, judged)


def without_commands_in_patches(found: Run) -> Run:
    """The run, in which a file is a failure where a CI service would take a line of its patch for a command.

    A patch cannot be changed to prevent that. Where no CI service reads the output, all patches stay.
    """
    if not any(variable in os.environ for variable in _READS_COMMANDS):
        return found
    from trainlint.report.patch import difference_for_people

    safe, failures = [], list(found.report.failures)
    for rewrite in found.rewrites:
        path = rewrite.before.path
        if has_commands(difference_for_people(rewrite.before, rewrite.after)):
            reason = (
                "its patch is not shown, as a line of it would be a command to the CI service; use --diff elsewhere"
            )
            failures.append(Failure(path, reason))
        else:
            safe.append(rewrite)
    return replace(found, report=replace(found.report, failures=tuple(failures)), rewrites=tuple(safe))


def show_diff(found: Run, options: Namespace) -> None:
    """Print what fixes would change; what could not be judged, and a line of counts, go to stderr."""
    from trainlint.report.patch import difference_for_people, in_colors, patch_of

    root = _root_of_patch(found)
    for rewrite in found.rewrites:
        if sys.stdout.isatty():  # nobody takes a patch from there to apply it, so its bytes need not be those of files
            shown = for_terminal(difference_for_people(rewrite.before, rewrite.after))
            console.write(sys.stdout, in_colors(shown, style_for(sys.stdout, options.color)))
            continue
        path = rewrite.before.path
        path = path if root is None else shown_path(Path.cwd() / path, root)
        console.out_bytes(patch_of(path, *rewrite.contents))
    if root is not None and not options.quiet:
        console.note(f"The paths begin at {quoted(str(root))}: apply the patch there.")
    tell_failures(found.report.failures)
    tell_unapplied(found.report, options)
    tell_fixes(found.report, options)
    if options.quiet:
        return
    if found.rewrites:
        fixed, ignored, files = found.report.fixed, found.report.ignored, count(len(found.rewrites), "file")
        done = [f"fix {count(fixed, 'place')}"] if fixed else []
        done += [f"add ignore comments for {count(ignored, 'place')}"] if ignored else []
        console.note(f"Would {' and '.join(done)} in {files}{_besides(found)}. {left_over(found.report)}".rstrip())
    elif not found.report.failures:
        left = left_over(found.report)
        console.note(f"Nothing would be changed. {left}" if left else "There is nothing to fix.")
    _tell_higher_level(found.report)


def _besides(found: Run) -> str:
    """How many findings more fixes and what they leave are about than the report without fixes has, as a clause."""
    report = found.report
    more = report.fixed + report.ignored + len(report.findings) - found.before
    if more <= 0 or report.compared is not None or report.left_out:
        return ""
    one = "it shows" if more == 1 else "they show"
    return f" ({more} more than `trainlint check` reports: {one} only after other fixes)"


def _tell_higher_level(report: Report) -> None:
    """Say on stderr which option shows the fixes that stay, where there are any."""
    levels = {finding.fix.safety for finding in report.findings if finding.fix is not None}
    if levels and max(levels) > Safety.SAFE:
        flag = FIX_FLAGS[max(levels)].removeprefix("--fix ")
        console.note(f"`trainlint check --diff {flag}` shows the other fixes.")


def _root_of_patch(found: Run) -> Path | None:
    """The root of the git repository, where the paths of a patch begin if one lies outside the working directory."""
    if not any(Path(rewrite.before.path).is_absolute() for rewrite in found.rewrites):
        return None
    root = _repository(Path.cwd())
    return None if root is None else Path(root)


def tell_failures(failures: Iterable[Failure]) -> None:
    """Say on stderr what could not be judged, where stdout holds something else than a report."""
    for failure in failures:
        console.note(f"error: {failure_sentence(failure)}")


def tell_unapplied(report: Report, options: Namespace) -> None:
    """Say on stderr which fixes could not be applied. Their findings stand in the report."""
    for fix in () if options.quiet else report.unapplied:
        console.note(f"note: {unapplied_sentence(fix)}")


def tell_fixes(report: Report, options: Namespace) -> None:
    """List on stderr what was fixed, where the user asked for it."""
    for line in fixes_by_file(report) if options.show_fixes and not options.quiet else ():
        console.note(line)


def show_progress(
    discovery: Discovery,
    configurations: Configurations,
    found: Run,
    seconds: float,
    options: Namespace,
    cache: Cache | None = None,
) -> None:
    """Say on stderr how the run went: with --verbose in detail, and never that excluded files are clean."""
    _tell_of_files(discovery, found, options)
    for sentence in () if options.quiet else configurations.retired():
        console.note(f"note: {sentence}")
    if not options.verbose:
        return
    here = Path.cwd()
    for source in configurations.sources():
        console.note(
            f"settings: {quoted(shown_path(Path(source), here))}" if source else "settings: no configuration file"
        )
    for sentence in (*configurations.notes(), *discovery.notes):
        console.note(f"note: {sentence}")
    for path in discovery.excluded:
        console.note(f"excluded: {quoted(str(path))}")
    if found.context_files:
        console.note(f"linked with: {count(found.context_files, 'file')} besides, which are not judged")
    if cache is not None:
        console.note(f"cache: {_of_cache(cache, here)}")
    processes = "one process" if found.workers == 1 else f"{found.workers} processes"
    console.note(f"judged: {count(found.report.files, 'file')} in {processes}, {seconds:.2f} s")


def _tell_of_files(discovery: Discovery, found: Run, options: Namespace) -> None:
    """Say on stderr what nobody may take for clean: excluded files, no training, and a part of too large a project."""
    if not (discovery.targets or discovery.failures or options.quiet):
        console.note(
            "trainlint: all paths that were named are excluded, so nothing was judged (--force-exclude is set)"
        )
    if not options.quiet and _trains_nothing(discovery, found):
        code = count(found.report.files - found.report.settings, "file")
        console.note(
            f"note: no training loop found in {code}; trainlint looks for "
            "PyTorch code that takes optimizer steps or passes a model to a Trainer"
        )
    for sentence in found.unfixed:
        console.note(f"trainlint: {sentence}")
    if found.is_partial and not options.quiet:
        tell_partial()


def tell_partial() -> None:
    """Say on stderr that a project is too large to be linked as a whole where a part of it is named."""
    console.note(
        "note: the project is too large to link as a whole for a part of it; `trainlint check` on the whole "
        "project may find more here"
    )


def _trains_nothing(discovery: Discovery, found: Run) -> bool:
    """Whether the files of whole directories were judged, nothing was found, and nothing there trains a model."""
    report = found.report
    something = report.findings or report.failures or report.fixed or report.suppressed or report.compared
    return not something and not found.may_train and bool(discovery.searched) and report.files > report.settings


def _of_cache(cache: Cache, here: Path) -> str:
    """How much came from the cache."""
    if cache.trouble:
        return f"not used: {cache.trouble}"
    if cache.directory is None:
        return "not used: there is too little source for it to pay"
    place, recalled = shown_path(cache.directory, here), cache.recalled
    if recalled.whole:
        return f"nothing has changed since this was last found out, by {place}"
    summaries, of_summaries = recalled.summaries
    outcomes, of_outcomes = recalled.outcomes
    return (
        f"{place} knew what {outcomes:,} of {count(of_outcomes, 'file')} gave, "
        f"and what {summaries:,} of {count(of_summaries, 'file')} say to others"
    )


def _text(
    report: Report,
    sources: Sources,
    configurations: Configurations,
    options: Namespace,
    output_format: str,
    style: Style,
) -> str:
    here = Path.cwd()
    settings = Settings(
        style=style,
        directory=str(here),
        repository=_repository(here) if FORMATS[output_format].from_repository else None,
        summary=not options.quiet,
        verbose=options.verbose,
        by_path=options.sort == "path",
        paths=tuple(options.paths),
    )
    if options.statistics:
        return render_statistics(report, settings=settings)
    rules = configurations.rules_that_ran()
    return render(report, output_format, sources=sources, rules=rules, settings=settings)


def _repository(directory: Path) -> str | None:
    """The git repository that a directory is in: other tools know files by their place in it."""
    from trainlint.project import repository_around

    return repository_around(str(directory))
