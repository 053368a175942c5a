"""One file from its path to its findings, with or without fixes. Whatever happens to it, the others are judged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trainlint.engine.judge import UNREADABLE, Verdicts, judge, parse
from trainlint.engine.read import may_hold_findings, read_bytes
from trainlint.finding import Failure, Finding, Safety
from trainlint.model.outside import ALONE, Outside
from trainlint.settings_files import holds_settings, is_settings
from trainlint.source import SourceFile, UnreadableSource, decode_source

if TYPE_CHECKING:
    from trainlint.engine.configurations import Selection
    from trainlint.engine.discover import Target
    from trainlint.model.site import FileModel
    from trainlint.rule import Rule


@dataclass(frozen=True, slots=True)
class Fixing:
    """That findings are to be fixed, and how."""

    limit: Safety
    """Fixes up to this level are applied."""
    write: bool = True
    """Whether files are written; otherwise the rewrites are only handed back."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What fixes make of one file."""

    before: SourceFile
    after: SourceFile


@dataclass(frozen=True, slots=True)
class Job:
    """A file, the rules to ask about it, and the configuration that holds there."""

    target: Target
    rules: tuple[Rule, ...]
    selection: Selection
    outside: Outside = ALONE
    """What other files say of this one."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one file gave."""

    findings: tuple[Finding, ...] = ()
    failures: tuple[Failure, ...] = ()
    suppressed: int = 0
    fixed: int = 0
    rewrite: Rewrite | None = None
    """Only when fixes change the file and it is not to be written."""
    judged: bool = True
    """False when the file as a whole could not be judged."""


def do(job: Job, fixing: Fixing | None = None, model: FileModel | None = None) -> Outcome:
    """Judge one file and fix it if asked. Raises nothing but KeyboardInterrupt: what goes wrong is a Failure.

    `model` is what linking already knows of the file; it counts only if the file is still the same.
    """
    shown = job.target.shown
    try:
        data = read_bytes(job.target.path)
        source = decode_source(shown, data)
        if is_settings(shown):
            if not holds_settings(shown, data) or isinstance(parse(source), Failure):
                return Outcome(judged=False)  # another tool's file, or a template that is filled in before it is read
        elif not may_hold_findings(data):
            tree = parse(source)
            return Outcome(failures=(tree,), judged=False) if isinstance(tree, Failure) else Outcome()
        outcome = do_text(source, job, fixing, model)
        if fixing and fixing.write and outcome.rewrite:
            failure = _write(job.target, data, outcome.rewrite)
            if failure:
                outcome = do_text(source, job)
                return replace(outcome, failures=(*outcome.failures, failure))
            return replace(outcome, rewrite=None)
    except UnreadableSource as error:
        return Outcome(failures=(Failure(shown, str(error), UNREADABLE),), judged=False)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a native panic of LibCST is no Exception, and any must name its file
        return Outcome(failures=(Failure(shown, crash(error)),), judged=False)
    finally:
        if model is not None:
            model.let_go()
    return outcome


def do_text(source: SourceFile, job: Job, fixing: Fixing | None = None, model: FileModel | None = None) -> Outcome:
    """Judge one text and fix it if asked, without writing."""
    verdicts = _judge(source, job, model)
    outcome = Outcome(
        findings=tuple(verdicts.findings),
        failures=tuple(verdicts.failures),
        suppressed=verdicts.suppressed,
        judged=not any(failure.rule in (None, UNREADABLE) for failure in verdicts.failures),
    )
    if fixing is None or not any(finding.fix and finding.fix.safety <= fixing.limit for finding in outcome.findings):
        return outcome
    from trainlint.fixing import fix_to_fixpoint

    result = fix_to_fixpoint(source, lambda text: _judge(text, job).findings, fixing.limit)
    return replace(
        outcome,
        findings=result.remaining,
        failures=(*outcome.failures, *result.failures),
        fixed=len(result.applied),
        rewrite=Rewrite(source, result.source) if result.applied else None,
    )


def crash(error: BaseException) -> str:
    """Why a file could not be judged, as a sentence."""
    if isinstance(error, RecursionError | MemoryError):
        return "its code is nested too deeply to be judged; split the expression or exclude the file"
    words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"trainlint failed on it ({words}); please report this"


def _judge(source: SourceFile, job: Job, model: FileModel | None = None) -> Verdicts:
    """Findings with the severities that the user gave their rules."""
    told = model.told(job.outside) if model is not None and model.source == source else None
    verdicts = judge(
        source, job.rules, job.selection.config, job.selection.known or None, outside=job.outside, model=told
    )
    if told is not None:
        told.let_go()
    severities = dict(job.selection.severities)
    findings = (
        replace(finding, severity=severities.get(finding.code, finding.severity)) for finding in verdicts.findings
    )
    return replace(verdicts, findings=tuple(findings))


def _write(target: Target, before: bytes, rewrite: Rewrite) -> Failure | None:
    """Put a rewrite on disk, or say why it does not stand there."""
    from trainlint.fixing import NotWritten, write_atomically

    if rewrite.before.encode(rewrite.before.text) != before:
        # Some encodings write one text in several ways: bytes far from the fix would change with it.
        return Failure(target.shown, f"its {rewrite.before.encoding} bytes do not survive a rewrite; save it as UTF-8")
    try:
        write_atomically(target.path, before, rewrite.after.encode(rewrite.after.text))
    except NotWritten as error:
        return Failure(target.shown, str(error))
    return None
