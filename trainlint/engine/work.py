"""One file from its path to its findings, with or without fixes. Whatever happens to it, the others are judged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from trainlint.bounded import SETTINGS_BYTES, write_leaves_project
from trainlint.engine.parsing import UNREADABLE, crash, parse
from trainlint.engine.read import code_of, may_hold_findings, read_bytes
from trainlint.engine.time_limit import TookTooLong, time_limit
from trainlint.finding import NOTHING_EXECUTED, Failure, Finding, Frequencies, UnappliedFix
from trainlint.source import OtherLanguage, SourceFile, UnreadableSource, decode_source
from trainlint.training_settings.files import holds_settings, is_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from trainlint.analysis.semantic_model import EarlierFacts, SemanticModel
    from trainlint.analysis.types.imported_facts import ImportedFacts
    from trainlint.catalogue import InstalledRule
    from trainlint.engine.configurations import Selection
    from trainlint.engine.discover import Target
    from trainlint.engine.judge import Verdicts
    from trainlint.engine.rewriting import Fixing
    from trainlint.interpreter.operations import Operation


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What fixes make of one file."""

    before: SourceFile
    after: SourceFile
    data: bytes = b""
    """The bytes that the file holds; a notebook is more than its code. Empty where they are not known."""

    @property
    def contents(self) -> tuple[bytes, bytes]:
        """The bytes of the file before and after."""
        return self.before.content(self.data), self.after.content(self.data)


@dataclass(frozen=True, slots=True)
class Job:
    """A file, the rules to ask about it, and the configuration that holds there."""

    target: Target
    rules: tuple[InstalledRule, ...]
    selection: Selection
    imported_facts: ImportedFacts | None = None
    """What other files say of this one; None where they say nothing."""
    facts_digest: bytes = b""
    """The digest of the imported facts, where the cache knows it."""
    text: SourceFile | None = None
    """What counts in place of what the file holds; None for the file itself."""
    operations: tuple[Operation, ...] = ()
    """What the abstract run of the project executes here in training steps; None where it was not run."""
    frequencies: Frequencies = NOTHING_EXECUTED
    """How often it executes the statements here."""

    @property
    def path(self) -> Path:
        """The file."""
        return self.target.path

    @property
    def size(self) -> int:
        """The file's, in bytes."""
        return self.target.size


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one file gave."""

    findings: tuple[Finding, ...] = ()
    failures: tuple[Failure, ...] = ()
    suppressed: int = 0
    before: int = 0
    """How many findings there were before anything was fixed."""
    fixed: tuple[tuple[str, int], ...] = ()
    """How many findings of each rule were fixed."""
    ignored: int = 0
    """How many findings new ignore comments silence."""
    unapplied: tuple[UnappliedFix, ...] = ()
    rewrite: Rewrite | None = None
    """Only when fixes change the file, and it has not been written."""
    judged: bool = True
    """False when the file as a whole could not be judged."""
    training: bool = False
    """Whether the file has training code: rules looked at it, as the gate let it through."""
    in_step: bool = False
    """Whether any code of the file runs in each training step."""
    unfixed: str | None = None
    """Why fixes that were asked for were not applied, as a sentence, though the file could be judged."""


def judge_and_fix(
    job: Job, fixing: Fixing | None = None, model: SemanticModel | None = None, remains: EarlierFacts | None = None
) -> Outcome:
    """Judge one file, or its text where the job has one, and fix it if asked, without writing.

    Raises nothing but KeyboardInterrupt: what goes wrong is a Failure. `model`, or what `remains` of it, is what
    linking already knows of the file; it counts only if the file is still the same.
    """
    shown = job.target.shown
    try:
        if job.text is None:
            return _judged_and_fixed(job, fixing, model, remains)
        with time_limit(job.selection.config.file_time_limit):
            return _judge_and_fix_source(job.text, job, fixing, model, remains)
    except TookTooLong as error:
        return _too_slow(shown, error)
    except OtherLanguage:
        return Outcome(judged=False)
    except UnreadableSource as error:
        return Outcome(failures=(Failure(shown, str(error), UNREADABLE),), judged=False)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a native panic of LibCST is no Exception, and any must name its file
        return Outcome(failures=(Failure(shown, crash(error)),), judged=False)
    finally:
        if model is not None:
            model.release()


def _judged_and_fixed(
    job: Job, fixing: Fixing | None, model: SemanticModel | None, remains: EarlierFacts | None
) -> Outcome:
    """Judge what the file holds, and fix it if asked. Raises UnreadableSource."""
    shown = job.target.shown
    data = read_bytes(job.path, whole=not is_settings(shown))
    elsewhere = fixing is not None and write_leaves_project(job.path)
    with time_limit(job.selection.config.file_time_limit):
        outcome = _judge_and_fix_bytes(data, job, None if elsewhere else fixing, model, remains)
    if elsewhere and fixing and fixing.applies_to(outcome.findings):
        return replace(outcome, unfixed=f"{shown} leads out of its project by a link, so it is not fixed")
    return outcome if outcome.rewrite is None else replace(outcome, rewrite=replace(outcome.rewrite, data=data))


def written(job: Job, outcome: Outcome) -> Outcome:
    """What stands when the fixed file is on disk; of one that cannot be put there, what stood before.

    Raises nothing but KeyboardInterrupt.
    """
    if outcome.rewrite is None:
        return outcome
    try:
        failure = _write(job.target, outcome.rewrite)
    except Exception as error:  # noqa: BLE001 - whatever it is, it must name its file, and others are to be written
        failure = Failure(job.target.shown, crash(error))
    if failure is None:
        return replace(outcome, rewrite=None)
    before = do_text(outcome.rewrite.before, job)
    return replace(before, failures=(*before.failures, failure))


def _judge_and_fix_bytes(
    data: bytes, job: Job, fixing: Fixing | None, model: SemanticModel | None, remains: EarlierFacts | None
) -> Outcome:
    """Judge what stands in a file, and fix it if asked, without writing. Raises UnreadableSource."""
    shown = job.target.shown
    if is_settings(shown):
        if not holds_settings(shown, data):
            return Outcome(judged=False)  # another tool's file
        if len(data) > SETTINGS_BYTES:
            raise UnreadableSource(
                f"it is larger than {SETTINGS_BYTES // 1000} kB, the most that trainlint reads of settings; exclude it"
            )
    return _judge_and_fix_source(decode_source(shown, data), job, fixing, model, remains, data)


def _judge_and_fix_source(
    source: SourceFile,
    job: Job,
    fixing: Fixing | None,
    model: SemanticModel | None,
    remains: EarlierFacts | None,
    data: bytes | None = None,
) -> Outcome:
    """Judge a text that is read, and fix it if asked, without writing. `data` are its bytes, where they are known."""
    if is_settings(job.target.shown):
        if isinstance(parse(source), Failure):
            return Outcome(judged=False)  # a template that is filled in before it is read
    if not is_looked_at(source, job.imported_facts, data):
        if model is not None and model.source == source:
            return Outcome()  # linking has parsed it
        tree = parse(source)
        return Outcome(failures=(tree,), judged=False) if isinstance(tree, Failure) else Outcome()
    return _done_text(source, job, fixing, model, remains)


def is_looked_at(source: SourceFile, facts: ImportedFacts | None, data: bytes | None = None) -> bool:
    """Whether rules look at a file: it has training code, by itself or with what other files say of it.

    `data` are the bytes of the source, where they are known.
    """
    if is_settings(source.path):
        return True
    code = data if data is not None and source.cells is None else code_of(source)
    # Tensors may reach a file that does not speak of PyTorch itself.
    meets_torch = facts is not None and (facts.reaches_torch or facts.serves_torch)
    return may_hold_findings(code, with_torch=meets_torch)


def do_text(source: SourceFile, job: Job, fixing: Fixing | None = None) -> Outcome:
    """Judge one text in place of what the file of a job holds, as `judge_and_fix` does."""
    return judge_and_fix(replace(job, text=source), fixing)


def _too_slow(shown: str, error: TookTooLong) -> Outcome:
    return Outcome(failures=(Failure(shown, str(error)),), judged=False)


def _done_text(
    source: SourceFile,
    job: Job,
    fixing: Fixing | None,
    model: SemanticModel | None = None,
    remains: EarlierFacts | None = None,
) -> Outcome:
    """Judge a text in which rules may find something. Of a notebook, the findings are counted in its cells."""
    if source.cells is None:
        return _found_and_fixed(source, job, fixing, model, remains)
    from trainlint.notebooks.places import finding_in_cells  # few projects have notebooks

    in_text = fixing and fixing.in_text(source)
    outcome = _found_and_fixed(source, job, in_text, model, remains)
    cells = outcome.rewrite.after.cells if outcome.rewrite else source.cells
    assert cells is not None  # a notebook stays one
    return replace(outcome, findings=tuple(finding_in_cells(finding, cells) for finding in outcome.findings))


def _found_and_fixed(
    source: SourceFile,
    job: Job,
    fixing: Fixing | None,
    model: SemanticModel | None = None,
    remains: EarlierFacts | None = None,
) -> Outcome:
    verdicts = _judge(source, job, model, remains)
    outcome = Outcome(
        findings=tuple(verdicts.findings),
        failures=tuple(verdicts.failures),
        suppressed=verdicts.suppressed,
        before=len(verdicts.findings),
        judged=not any(failure.rule in (None, UNREADABLE) for failure in verdicts.failures),
        training=True,
        in_step=verdicts.in_step,
    )
    if fixing is None or not fixing.applies_to(outcome.findings):
        return outcome
    from trainlint.engine.rewriting import rewritten

    done = rewritten(source, outcome.findings, fixing, lambda text: _judge(text, as_of(text, source, job)).findings)
    try:
        done.source.encode(done.source.text)
    except UnicodeError as error:
        raise UnreadableSource(
            f"its fixes cannot be written as {source.encoding} ({error}); save it as UTF-8"
        ) from error
    return replace(
        outcome,
        findings=done.findings,
        unapplied=done.unapplied,
        fixed=tuple(sorted(Counter(finding.code for finding in done.fixed).items())),
        ignored=done.ignored,
        rewrite=Rewrite(source, done.source) if done.source.text != source.text else None,
    )


def as_of(text: SourceFile, source: SourceFile, job: Job) -> Job:
    """The job for a text that a fix or an edit has made of a source: what other files say of it may no longer hold."""
    if text.text == source.text:
        return job
    facts = None if job.imported_facts is None else replace(job.imported_facts, edited=True)
    from trainlint.engine.moved_operations import moved, moved_frequencies  # few files are edited

    operations, frequencies = moved(job.operations, source, text), moved_frequencies(job.frequencies, source, text)
    return replace(job, imported_facts=facts, operations=operations, frequencies=frequencies)


def _judge(
    source: SourceFile, job: Job, model: SemanticModel | None = None, remains: EarlierFacts | None = None
) -> Verdicts:
    """Findings with the severities that the user gave their rules, and with the fixes that the user wants."""
    from trainlint.analysis.types.imported_facts import ALONE
    from trainlint.engine.judge import judge  # with the whole model, which a file without training does without

    facts = job.imported_facts or ALONE
    linked = model.with_context(facts, job.frequencies) if model is not None and model.source == source else None
    known = job.selection.known or None
    verdicts = judge(
        source,
        job.rules,
        job.selection.config,
        known,
        outside=facts,
        model=linked,
        remains=remains,
        operations=job.operations,
        frequencies=job.frequencies,
    )
    if linked is not None:
        linked.release()
    severities, without_fixes = dict(job.selection.severities), job.selection.without_fixes
    findings = (
        replace(
            finding,
            severity=severities.get(finding.code, finding.severity),
            fix=None if finding.code in without_fixes else finding.fix,
            withheld=finding.code in without_fixes and finding.fix is not None,
        )
        for finding in verdicts.findings
    )
    return replace(verdicts, findings=tuple(findings))


def _write(target: Target, rewrite: Rewrite) -> Failure | None:
    """Put a rewrite on disk, or say why it does not stand there."""
    from trainlint.fixing import FileChanged, NotWritten, replace_content

    before, (unchanged, after) = rewrite.data, rewrite.contents
    if unchanged != before:
        # Some encodings write one text in several ways: bytes far from the fix would change with it.
        return Failure(target.shown, f"its {rewrite.before.encoding} bytes do not survive a rewrite; save it as UTF-8")
    try:
        replace_content(target.path, before, after)
    except NotWritten as error:
        if isinstance(error, FileChanged) and read_bytes(target.path) == after:
            return None  # it was named by two paths
        return Failure(target.shown, str(error))
    return None
