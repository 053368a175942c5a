"""`trainlint check`: from what was typed to the exit code."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter

from trainlint.catalogue import installed_rules
from trainlint.cli import console
from trainlint.cli.caching import cache_for
from trainlint.cli.console import UsageError
from trainlint.cli.output import (
    SourcesOnDisk,
    require_writable_reports,
    show_diff,
    show_progress,
    show_report,
    without_commands_in_patches,
)
from trainlint.cli.outputs import outputs
from trainlint.config import Config, ConfigError, Overrides
from trainlint.config.settings import CONFIRMED
from trainlint.engine.configurations import Configurations
from trainlint.engine.discover import discover
from trainlint.engine.run import Run, run
from trainlint.finding import Safety
from trainlint.installation.distributions import PackError
from trainlint.report import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from contextlib import AbstractContextManager

    from trainlint.cache.cache import Cache
    from trainlint.cli.new_code.narrowing import Narrowing
    from trainlint.engine.discover import Discovery
    from trainlint.engine.pool.tasks import OnProgress
    from trainlint.engine.rewriting import Fixing
    from trainlint.finding import Report
    from trainlint.verdict_file import Evidence

CLEAN, FINDINGS, COULD_NOT_JUDGE = 0, 1, 2


def check(options: Namespace) -> int:
    """Judge what the user named, and return the exit code. Raises UsageError."""
    _refuse_nonsense(options)
    if options.watch:
        from trainlint.cli.at_terminal.watch import watch

        return watch(options, lambda: _check(options))
    return _check(options)


def _check(options: Namespace) -> int:
    started = perf_counter()
    configurations = configurations_of(options)
    evidence = _evidence(options)
    if "-" in options.paths:
        from trainlint.cli.stdin import check_stdin

        return exit_code(check_stdin(options, configurations, fixing(options), evidence), options)
    paths = [Path(path) for path in options.paths] or [Path()]
    if options.show_settings:
        from trainlint.cli.show import show_settings

        return COULD_NOT_JUDGE if show_settings(paths, configurations) else CLEAN
    discovery = discover(paths, configurations.excludes, force_exclude=configurations.forces_exclude)
    if options.show_files:
        from trainlint.cli.show import show_files

        return COULD_NOT_JUDGE if show_files(discovery) else CLEAN
    require_writable_reports(options, discovery.targets)
    cache = cache_for(options, paths)
    narrowing = _narrowing(options, configurations, discovery)
    todo, asked = fixing(options), None
    if todo is not None and narrowing is not None:
        todo, asked = _chosen(todo, narrowing, discovery, configurations.untracked_copy(), options, cache)
    with _progress(options) as told:
        found = run(discovery, configurations, fixing=todo, workers=options.jobs, cache=cache, on_progress=told)
    if narrowing is not None:
        found = narrowing.narrowed(found, SourcesOnDisk(discovery.targets), asked)
    if evidence is not None:
        from trainlint.cli.evidence import with_evidence

        found = with_evidence(found, evidence, only_confirmed=options.fail_on == CONFIRMED)
    if options.diff:
        found = without_commands_in_patches(found)
        show_diff(found, options)
    else:
        show_report(found.report, SourcesOnDisk(discovery.targets), configurations, options)
    if narrowing is not None:
        narrowing.tell_gone(found.report, options)
    show_progress(discovery, configurations, found, perf_counter() - started, options, cache)
    return exit_code(found, options)


def _narrowing(options: Namespace, configurations: Configurations, discovery: Discovery) -> Narrowing | None:
    """What the run leaves out because it is not new or not named; None where all counts. Raises UsageError."""
    named = options.only is not None or options.diff_base is not None
    if not named and not configurations.names_baseline(target.path for target in discovery.targets):
        return None
    from trainlint.cli.new_code.narrowing import narrowing_for

    return narrowing_for(options, configurations, discovery)


def _progress(options: Namespace) -> AbstractContextManager[OnProgress | None]:
    """What shows how far a run is, where somebody is looking."""
    if options.quiet or not sys.stderr.isatty():
        return nullcontext()
    from trainlint.cli.at_terminal.progress import progress

    return progress()


def fixing(options: Namespace) -> Fixing | None:
    """What the user wants to be done about findings."""
    wanted = options.fix or (options.diff and options.add_ignores is None)
    if not wanted and options.add_ignores is None:
        return None
    from trainlint.engine.rewriting import Fixing

    limit = _highest_level(options) if wanted else None
    return Fixing(limit, write=not options.diff, ignore_reason=options.add_ignores)


def _highest_level(options: Namespace) -> Safety:
    """The level up to which fixes are wanted."""
    if options.unsafe_fixes:
        return Safety.UNSAFE
    return Safety.NUMERICS if options.numeric_fixes else Safety.SAFE


def _chosen(
    todo: Fixing,
    narrowing: Narrowing,
    discovery: Discovery,
    configurations: Configurations,
    options: Namespace,
    cache: Cache | None,
) -> tuple[Fixing, Report]:
    """What is to be done about those findings that are new and named; and these.

    Judges the files. Raises UsageError.
    """
    with _progress(options) as told:
        asked = run(discovery, configurations, workers=options.jobs, cache=cache, on_progress=told)
    report = narrowing.narrowed(asked, SourcesOnDisk(discovery.targets)).report
    return narrowing.limited(todo, report), report


def exit_code(found: Run, options: Namespace) -> int:
    """2 where anything could not be judged, whatever else was found, so that nothing is clean by accident."""
    if found.report.failures:
        return COULD_NOT_JUDGE
    bad = bool(found.rewrites) if options.diff else found.failing
    return FINDINGS if bad and not options.exit_zero else CLEAN


def _refuse_nonsense(options: Namespace) -> None:
    if "" in options.paths:
        # `trainlint check "$SOURCES" --fix` with an unset variable must not rewrite the working directory.
        raise UsageError("a path is empty; name a file or a directory, or leave it out for the working directory")
    if "-" in options.paths:
        if len(options.paths) > 1:
            raise UsageError("`-`, which means standard input, stands alone: name either it or paths")
        if options.show_files or options.show_settings:
            raise UsageError("--show-files and --show-settings speak of paths; name the path in place of `-`")
    elif options.stdin_filename:
        raise UsageError("--stdin-filename goes with `-`, which means standard input")
    asked = outputs(options)
    machine = next((item.format for item in asked if not FORMATS[item.format].for_people), None)
    if options.statistics and machine is not None:
        raise UsageError(f"--statistics is text for people; leave out --output-format {machine}")
    if options.diff and (options.statistics or any(item.file for item in asked)):
        raise UsageError("--diff prints a patch; leave out --statistics and files for reports")
    if options.max_findings is not None and (options.diff or options.statistics):
        raise UsageError("--max-findings shortens a list of findings; leave it out with --diff and --statistics")
    if options.add_ignores is not None and Path(options.add_ignores).exists():
        # `trainlint check --add-ignores src/` would write comments that say "src/" all over the working directory.
        raise UsageError(
            f'--add-ignores takes the reason, and "{options.add_ignores}" is a path; '
            'write --add-ignores "not looked at yet" PATH'
        )
    if options.watch and (fixing(options) or options.only or "-" in options.paths):
        raise UsageError("--watch shows findings; leave out fixes, --diff and --only, and name paths in place of `-`")
    if options.watch and (options.show_files or options.show_settings):
        raise UsageError("--watch shows findings; leave out --show-files and --show-settings")
    if options.show_fixes and not fixing(options):
        raise UsageError("--show-fixes lists what was fixed; add --fix or --diff")
    if options.no_baseline and options.baseline:
        raise UsageError("--no-baseline leaves out what --baseline names; give one of the two")
    if options.diff and options.evidence:
        raise UsageError("--diff prints a patch, which evidence says nothing of; leave out --evidence")
    if options.fail_on == CONFIRMED and not options.evidence:
        raise UsageError("--fail-on confirmed needs --evidence FILE, which says what is confirmed")
    if (options.numeric_fixes or options.unsafe_fixes) and not (fixing(options) or options.quiet):
        level = "--unsafe-fixes" if options.unsafe_fixes else "--numeric-fixes"
        console.note(f"note: {level} only chooses fixes; add --fix to write them, or --diff to see them")


def configurations_of(options: Namespace) -> Configurations:
    """The settings for what was typed. Raises UsageError."""
    try:
        rules = installed_rules(options.plugin, options.paths)
        return Configurations(
            rules,
            _overrides(options),
            config_file=options.config,
            isolated=options.isolated,
            left_out=tuple(getattr(options, "exclude", ())),
        )
    except PackError as error:
        raise UsageError(*error.sentences) from error
    except ConfigError as error:
        raise UsageError(str(error)) from error


def _evidence(options: Namespace) -> Evidence | None:
    """What --evidence names, read before anything is judged or fixed. Raises UsageError."""
    if options.evidence is None:
        return None
    from trainlint.cli.evidence import usable_evidence

    return usable_evidence(options.evidence, only_confirmed=options.fail_on == CONFIRMED)


def _overrides(options: Namespace) -> Overrides:
    """What was typed for the keys of the configuration."""
    typed = {key.field: getattr(options, key.field, None) for key in Config.keys if key.option}
    chosen = Overrides(
        (field, tuple(value) if isinstance(value, list) else value)
        for field, value in typed.items()
        if value is not None and value != CONFIRMED
    )
    if getattr(options, "no_baseline", False):
        chosen["baseline"] = None
    return chosen
