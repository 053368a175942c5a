"""`trainlint prove`: from what was typed to the exit code."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from trainlint.cli import console
from trainlint.cli.console import UsageError
from trainlint.cli.report_file import print_report
from trainlint.evidence.places import Line
from trainlint.evidence.run import Run
from trainlint_probe.changed_files.written_files import about_files
from trainlint_probe.judgement.static import configured, judge_at_work
from trainlint_probe.launch import Launched, about_python, launch, request_of
from trainlint_probe.prove.changed_lines import Difference, difference
from trainlint_probe.prove.compare import OF_THE_SAME, compare, with_noise
from trainlint_probe.prove.fixes import check_named, fixes_of
from trainlint_probe.prove.options import Options, read_options
from trainlint_probe.prove.proof import device_of, proof
from trainlint_probe.prove.result import Answer, Proof, Training
from trainlint_probe.prove.versions import Version, commit_tree, other_tree, repository_root, standing_in
from trainlint_probe.report.progress import about_to_run
from trainlint_probe.report.words import full, why_no_step
from trainlint_probe.wording.units import some_of

UNCHANGED, CHANGED_OR_WORSE, NOT_JUDGED = 0, 1, 2


def prove(arguments: Sequence[str]) -> int:
    """Run a training before and after a change, say what the change does, and return the exit code. Raises UsageError,
    also where nothing could be judged.
    """
    options = read_options(arguments)
    found = proof_of(options)
    code = exit_code(found, allows_changed_losses=options.allows_changed_losses)
    print_report(_text(found, options, code), options.output_file)
    return code


def exit_code(found: Proof, *, allows_changed_losses: bool) -> int:
    """What is known to be wrong comes before what is not known."""
    changed = found.training.answer is Answer.CHANGED and not allows_changed_losses
    if changed or found.worse:
        return CHANGED_OR_WORSE
    return NOT_JUDGED if found.training.answer is Answer.UNKNOWN else UNCHANGED


def _text(found: Proof, options: Options, code: int) -> str:
    from trainlint.report.settings import style_of_report
    from trainlint_probe.prove.report import document, render

    if options.output_format == "json":
        return document(found, code)
    return render(found, style_of_report(options.color, options.output_file))


def proof_of(options: Options) -> Proof:
    """Run both versions, and compare them.

    Raises:
        UsageError: there is no such script, rule, tree or commit; the script fails or never steps without the change;
            or there is no change.
    """
    check_named(options.fixes)
    with ExitStack() as stack:
        here = Path.cwd().resolve()
        if options.against is not None:
            after = Version("the working tree", repository_root())
            before = stack.enter_context(commit_tree(after.root, options.against))
        elif options.before is not None:
            after, before = Version("the working directory", here), other_tree(options.before)
        else:
            after = before = Version("without the fixes", here)
        first = _run(before, after.root, options)
        _check_ran(first, "before the change")
        if before is after:
            after = _fixed(before, first, options)
        second = _run(after, after.root, options)
        _check_ended(second, "after the change")
        differs = difference(before, after, _imported(before, first) | _imported(after, second))
        _check_own_files(before, after, first, differs)
        training = _training(before, after, first, second, options)
        return _proof(before, after, first, second, training, differs)


def _training(before: Version, after: Version, first: Launched, second: Launched, options: Options) -> Training:
    """How what is computed compares. Where it differs, the version before runs once more."""
    if not _has_steps(second):
        return Training(Answer.CHANGED, f"after the change, {why_no_step(second.runs[0])}", 0, 0)
    failed = _failed(second)
    if failed is not None and _failed(first) is None:
        return Training(Answer.CHANGED, f"after the change, {why_no_step(failed)}", 0, 0)
    training = compare(first.runs, second.runs)
    if training.answer is not Answer.CHANGED or training.first_step is None:
        return training
    console.note("They differ. The version before the change runs once more: does it compute the same twice?")
    again = _run(before, after.root, options)
    _check_ran(again, "before the change, in a second run")
    return with_noise(training, compare(first.runs, again.runs, OF_THE_SAME))


def _proof(
    before: Version, after: Version, first: Launched, second: Launched, training: Training, differs: Difference
) -> Proof:
    old, new = first.runs[0], second.runs[0]
    wrote = [run for run in (first, second) if run.changed.new or run.changed.changed or run.changed.removed]
    notes = [sentence for run in wrote for sentence in about_files(run.changed, run.overlay)]
    training, note = _of_what_ran(training, differs, old, new)
    if note:
        notes.insert(0, note)
    if (failed := _failed(first)) is not None and failed.computed is not None:
        steps = len(failed.computed.steps)
        notes.append(full(f"Before the change, after {steps} steps, {why_no_step(failed)}; only these are compared"))
    if new.outcome == "too short" and new.computed is not None:
        notes.append(f"The script ended by itself after {len(new.computed.steps)} steps.")
    return proof((before.name, after.name), (old, new), training, differs, list(dict.fromkeys(notes)))


_SHOWN = 5


def _of_what_ran(training: Training, differs: Difference, old: Run, new: Run) -> tuple[Training, str]:
    """What may be said of the training, since changed lines may not have run; and a sentence about these lines."""
    if not differs.hunks:
        return training, "In the files that the script imports, both versions have the same code."
    if old.simulated is None or new.simulated is None:
        return training, f"Whether the changed lines ran is not known on {device_of(new)}."
    missed = differs.not_run(old.simulated.executed, new.simulated.executed)
    if missed and len(missed) == differs.hunks and training.answer is Answer.SAME:
        words = "none of the changed lines ran, so nothing is known of the change"
        return replace(training, answer=Answer.UNKNOWN, sentence=f"{words} ({some_of(missed, _SHOWN)})"), ""
    held = "What is said holds for what ran. Of the changed lines, these did not run"
    return training, f"{held}: {some_of(missed, _SHOWN)}." if missed else ""


def _fixed(before: Version, first: Launched, options: Options) -> Version:
    """The version with the fixes. Raises UsageError where there are none."""
    with standing_in(before.root):
        script = None if options.module else Path(options.script)
        lines = [Line(path, 1) for path in sorted(_imported(before, first))]
        fixes = fixes_of(options.fixes, judge_at_work(script, lines, configured()).paths)
    if not fixes.edits:
        of = f"of {' and '.join(options.fixes)} " if options.fixes else "is safe and "
        hint = "" if options.fixes else "; `--fixes all` takes those that are not safe, too"
        raise UsageError(f"no fix {of}applies to the files that the script imports, so there is no change{hint}")
    rules = ", ".join(f"{code} ({count})" for code, count in sorted(fixes.codes.items()))
    return Version(f"with the fixes of {rules}", before.root, fixes.edits)


def _run(version: Version, root: Path, options: Options) -> Launched:
    """One run. `root` is the root of the project as it is: a project that is installed from there is to be imported
    from this version's root.
    """
    here, script = _place(version, root, options)
    asked = request_of(options, script)
    request = replace(
        asked,
        child_settings=replace(
            asked.child_settings,
            warmup_limit=asked.child_settings.warmup,  # of both runs, as many steps are compared
            compares=True,
            seed=options.seed,
            moved=() if version.root == root else (str(root), str(version.root)),
        ),
        edits=version.edits,
        also_kept=version.keeps,
    )
    console.note(about_to_run(version.name, request.child_settings))
    with standing_in(here), tempfile.TemporaryDirectory(prefix="trainlint-", ignore_cleanup_errors=True) as output:
        launched = launch(request, Path(output))
    return replace(launched, runs=tuple(_named_below(run, version, here) for run in launched.runs))


def _place(version: Version, root: Path, options: Options) -> tuple[Path, str]:
    """The directory in which a version runs, and its script. Raises UsageError."""
    here = Path.cwd().resolve()
    script = options.script
    if version.root == root:
        return here, script
    if root not in (here, *here.parents):
        raise UsageError(f"start it below {root}")
    if not options.module and Path(script).is_absolute():
        script = str(version.root / Path(script).resolve().relative_to(root))
    here = version.root / here.relative_to(root)
    if not here.is_dir():
        raise UsageError(f"{version.name} has no directory {here.relative_to(version.root)}, so it cannot run there")
    return here, script


def _named_below(run: Run, version: Version, here: Path) -> Run:
    """What a run in a directory has seen, with the version's files by their paths below its root: both versions name
    them alike then, wherever their trees lie.
    """
    if run.simulated is None:
        return run
    events = tuple(replace(event, path=version.below(event.path, here)) for event in run.simulated.events)
    executed = {version.below(path, here): lines for path, lines in run.simulated.executed.items()}
    return replace(run, simulated=replace(run.simulated, events=events, executed=executed))


def _has_steps(launched: Launched) -> bool:
    return all(run.steps and run.computed is not None for run in launched.runs)


def _check_ended(launched: Launched, when: str) -> None:
    """Raises UsageError where something else than the script has ended a run."""
    if launched.fault:
        raise UsageError(f"{when}: {launched.fault.rstrip('.')}")
    for run in launched.runs:
        if run.outcome in ("timed out", "safety stop"):
            raise UsageError(f"{when}, {why_no_step(run)}")


def _check_ran(launched: Launched, when: str) -> None:
    """Raises UsageError where something else than the script has ended a run, or it has seen no steps."""
    _check_ended(launched, when)
    for run in launched.runs:
        if run.outcome == "script failed" and not _has_steps(launched):
            why = f"{when}, {why_no_step(run)}; so there is nothing to compare"
            raise UsageError(*filter(None, (why, about_python(run.failure))))
    if not _has_steps(launched):
        words = "fewer than two steps were seen" if launched.runs[0].clock else why_no_step(launched.runs[0])
        raise UsageError(f"{when}, {words}; so there is nothing to compare")


def _failed(launched: Launched) -> Run | None:
    """The first run whose script has failed."""
    return next((run for run in launched.runs if run.outcome == "script failed"), None)


def _imported(version: Version, launched: Launched) -> set[str]:
    """The files below the root that a run has imported, by their paths below it."""
    sources = (source for run in launched.runs if run.computed is not None for source in run.computed.sources)
    return {version.below(source) for source in sources if version.holds(source)}


def _check_own_files(before: Version, after: Version, first: Launched, differs: Difference) -> None:
    """Raises UsageError where the version before has imported changed files of the one after."""
    if before.root == after.root:
        return
    sources = [source for run in first.runs if run.computed is not None for source in run.computed.sources]
    taken = [after.below(source) for source in sources if after.holds(source) and not before.holds(source)]
    wrong = [path for path in taken if before.text(Path(path)) != after.text(Path(path))]
    if wrong:
        raise UsageError(
            f"the run of {before.name} imported {wrong[0]} from {after.root}, where the project is installed "
            "in place, so the two versions cannot be told apart; give `--before DIR` a tree whose modules "
            "lie beside its script"
        )
