"""What trainlint says of the files that a run or a trace is about, without running them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from trainlint.catalogue import installed_rules
from trainlint.cli.console import UsageError
from trainlint.config import ConfigError, Overrides
from trainlint.engine.configurations import Configurations, Misconfigured
from trainlint.engine.discover import SKIPPED_DIRECTORIES, Discovery, discover, is_python
from trainlint.engine.parsing import UNREADABLE
from trainlint.engine.run import run
from trainlint.evidence.places import Line
from trainlint.evidence.verdicts import Judged
from trainlint.finding import Failure, Finding, Report
from trainlint.installation.distributions import PackError
from trainlint.paths import absolute
from trainlint.project import repository_around

_GONE = "the run used it, and it is gone since; keep the file and run again"


@dataclass(frozen=True, slots=True)
class Static:
    """What `trainlint check` says of some files, and which these are."""

    report: Report
    judged: Judged
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Files that were at work and were not to be judged → why."""
    paths: tuple[Path, ...] = ()
    """The files that were to be judged, whether they could be or not."""
    in_preview: frozenset[Finding] = frozenset()
    """Those of preview rules that the configuration does not turn on: they are told where a run has measured them."""


def judge_files(paths: Sequence[Path], configurations: Configurations) -> Static:
    """Judge files and directories as `trainlint check` does. Without any path, nothing is judged."""
    if not paths:
        return Static(Report((), (), 0), Judged())
    discovery = discover(paths, configurations.excludes)
    report, in_preview = _with_preview(discovery, configurations)
    judged = _judged(discovery, configurations, report)
    return Static(report, judged, paths=tuple(target.path for target in discovery.targets), in_preview=in_preview)


def _with_preview(discovery: Discovery, configurations: Configurations) -> tuple[Report, frozenset[Finding]]:
    """What `trainlint check` says with preview rules, and which findings it has from them alone.

    Where one of these rules fails on a file, nothing that the user asked for is missing.
    """
    report = run(discovery, configured(Overrides(preview=True))).report
    asked: dict[str, frozenset[str]] = {}
    for target in discovery.targets:
        with suppress(Misconfigured):
            asked[target.shown] = frozenset(rule.code for rule in configurations.rules_for(target.path))

    def is_asked(path: str, code: str | None) -> bool:
        return code is None or path not in asked or code in asked[path] or not _preview_of(code)

    failures = tuple(failure for failure in report.failures if is_asked(failure.path, failure.rule))
    in_preview = frozenset(finding for finding in report.findings if not is_asked(finding.path, finding.code))
    return replace(report, failures=failures), in_preview


@cache
def _preview_of(code: str) -> bool:
    """Whether a rule is in preview."""
    return any(rule.code == code and rule.preview for rule in installed_rules())


def judge_at_work(script: Path | None, lines: Iterable[Line | None], configurations: Configurations) -> Static:
    """Judge the script, and the files in which something was seen to happen.

    But for the script they were not named: what the configuration excludes is left out, as it is from a directory, and
    so is what lies outside of the project.
    """
    left_out: dict[str, str] = {}
    gone: list[Failure] = []
    wanted: list[Path] = []
    seen = {absolute(path): path for path in (Path(line.path) for line in lines if line is not None)}
    if script is not None:
        seen[absolute(script)] = script
    for path in sorted(seen.values()):
        why = _why_left_out(path, script, configurations.excludes) if path != script else ""
        if why:
            left_out[path.as_posix()] = why
        elif path.exists():
            wanted.append(path)
        else:
            gone.append(Failure(path.as_posix(), _GONE))
    judged = judge_files(wanted, configurations)
    failures = sorted((*judged.report.failures, *gone), key=lambda failure: failure.path)
    return replace(judged, report=replace(judged.report, failures=tuple(failures)), left_out=left_out)


def with_lines_elsewhere(static: Static, lines: Iterable[Line | None], why: str) -> Static:
    """The same, with those files left out by name that lines are in and of which nothing is said yet."""
    known = {*static.judged.digests, *(failure.path for failure in static.report.failures), *static.left_out}
    elsewhere = {line.path for line in lines if line is not None} - known
    return replace(static, left_out={**static.left_out, **dict.fromkeys(sorted(elsewhere), why)})


def configured(overrides: Overrides | None = None) -> Configurations:
    """The project's configuration. Raises UsageError where `overrides` or a rule pack is wrong.

    Where a file of settings is wrong, that is a failure of the files that it is for.
    """
    try:
        return Configurations(installed_rules(), overrides or Overrides())
    except PackError as error:
        raise UsageError(*error.sentences) from error
    except ConfigError as error:
        raise UsageError(str(error)) from error


def _why_left_out(path: Path, script: Path | None, excludes: Callable[[Path], bool]) -> str:
    """Why a file that was at work is not to be judged; empty where it is."""
    homes = [Path.cwd(), *([absolute(script).parent, script.resolve().parent] if script is not None else [])]
    if not any(absolute(path).is_relative_to(home) for home in homes):
        return "it lies neither below the directory where you started the probe nor beside the script"
    if not path.exists() and not is_python(path.name):
        return "it is no file: its code was made while the script ran"
    if discover([path], excludes, force_exclude=lambda path: True).excluded:
        skipped = next((part for part in path.parts if part in SKIPPED_DIRECTORIES), None)
        return f"it is in {skipped}, which trainlint skips" if skipped else "the configuration excludes it"
    return ""


def _judged(discovery: Discovery, configurations: Configurations, report: Report) -> Judged:
    """The files of a discovery that could be judged, as they are now."""
    here = Path.cwd()
    repository = repository_around(str(here))
    directory = here.relative_to(repository).as_posix() if repository else None
    failed = {failure.path for failure in report.failures if failure.rule in (None, UNREADABLE)}
    digests = {}
    for target in discovery.targets:
        try:
            configurations.of(target.path.parent)
            digest = hashlib.sha256(target.path.read_bytes()).hexdigest()
        except (Misconfigured, OSError):
            continue  # the report says that it could not be judged
        if target.shown not in failed:
            digests[target.shown] = digest
    return Judged(directory, digests)
