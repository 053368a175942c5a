"""`trainlint judge`: from what was typed to the exit code."""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from trainlint.bounded import read_bounded, reason_of
from trainlint.catalogue import installed_rules
from trainlint.cli import console
from trainlint.cli.arguments import Parser, add_color
from trainlint.cli.console import UsageError
from trainlint.evidence.as_json import Damaged, from_json
from trainlint.evidence.run import OUTCOMES, Run
from trainlint.report.settings import style_for
from trainlint.verdict_file import UnusableEvidence, document_in, evidence_root, read_evidence
from trainlint_probe.judgement.static import configured
from trainlint_probe.judging.answers import State
from trainlint_probe.judging.claims import CLAIMS_BYTES, Claim, read_claims
from trainlint_probe.judging.code_facts import CodeFacts, code_facts
from trainlint_probe.judging.document import as_json
from trainlint_probe.judging.judge import judged, lines_wanted
from trainlint_probe.judging.kinds import KINDS
from trainlint_probe.judging.run_facts import run_facts
from trainlint_probe.judging.written import as_text
from trainlint_probe.launch import about_python
from trainlint_probe.options import add_format, checked, count, device, read_options, seconds

NOTHING_CONFIRMED, CONFIRMED, COULD_NOT_JUDGE = 0, 1, 2
_AS_IN = 'write a Python script and what it is given, as in --run "train.py --batch 4"'
_PYTHON = re.compile(r"(?i)python[\d.]*")


@dataclass(frozen=True, slots=True)
class _Recorded:
    """A run, and where its paths start."""

    run: Run
    root: Path
    digests: Mapping[str, str]
    """The SHA-256 of the files that were judged with it, by the paths of the evidence; empty of a run of just now."""
    written: float | None = None
    """When the evidence was written, in seconds since the epoch; None of a run of just now."""


@dataclass(frozen=True, slots=True)
class _Runs:
    """What is read of the probe's document."""

    runs: tuple[Run, ...]


def judge(arguments: Sequence[str]) -> int:
    """Answer claims, and return the exit code. Raises UsageError where there is nothing to answer."""
    typed = judge_parser().parse_intermixed_args(list(arguments))
    if typed.run is None and (typed.steps or typed.device):
        raise UsageError("--steps and --device go with --run")
    claims = _claims(typed.claims)
    configurations = configured()
    facts = code_facts(lines_wanted(claims), configurations)
    recorded = _recorded(typed, facts)
    counted = None
    note = ""
    if recorded is not None:
        counted = run_facts(recorded.run, recorded.root, frozenset(each.real for each in facts.values()))
        note = _note(recorded.run, told=counted is not None)
    changed = _changed(facts, recorded) if recorded is not None else {}
    answers = judged(claims, facts, installed_rules(), counted, changed)
    run = recorded.run if recorded is not None else None
    if typed.output_format == "json":
        console.out(as_json(answers, note, run))
    else:
        console.out(as_text(answers, note, unicode=style_for(sys.stdout, typed.color).unicode))
    states = {answer.state for answer in answers}
    if State.INVALID in states or (recorded is not None and counted is None):
        return COULD_NOT_JUDGE
    return CONFIRMED if State.CONFIRMED in states else NOTHING_CONFIRMED


def judge_parser() -> argparse.ArgumentParser:
    """The parser of `trainlint judge`."""
    kinds = ", ".join(kind.name for kind in KINDS)
    parser = Parser(
        "trainlint judge",
        usage="trainlint judge CLAIMS [options]",
        description="Answer claims about lines one by one: confirmed, likely, refuted, not reached or unknown, each "
        'with its reason. CLAIMS is a file of JSON lines {"path": ..., "line": ..., "kind": ..., "note": ...} or of '
        "SARIF; - reads standard input. Without --run and --evidence the code alone is read, and nothing is confirmed. "
        f"The script of --run is executed; nothing else of yours is. Kinds: {kinds}, and each rule's code or name.",
        epilog="Exit codes: 0 no claim is confirmed; 1 at least one is; 2 a claim cannot be judged, or the "
        "run took no step (2 wins over 1).",
        allow_abbrev=False,
    )
    parser.add_argument("claims", metavar="CLAIMS", help="a file, or - for standard input")
    run = parser.add_mutually_exclusive_group()
    run.add_argument(
        "--run", metavar="COMMAND", help='run this script on a simulated GPU, as in --run "train.py --batch 4"'
    )
    run.add_argument(
        "--evidence", type=Path, metavar="FILE", help="what `trainlint probe --output-format json -o FILE` counted"
    )
    parser.add_argument("--steps", type=count, metavar="N", help="steps to count (default: 20)")
    parser.add_argument(
        "--device", type=checked(device), metavar="DEVICE", help="simulated[:NAME][xN] (default: simulated:h100)"
    )
    parser.add_argument(
        "--timeout", type=seconds, metavar="SECONDS", default=600.0, help="give up after so long (default: 600)"
    )
    add_format(parser)
    add_color(parser)
    return parser


def _claims(name: str) -> tuple[Claim, ...]:
    """Raises UsageError where there are none to read."""
    try:
        if name == "-":
            data = sys.stdin.buffer.read(CLAIMS_BYTES + 1) if sys.stdin is not None else b""
            if len(data) > CLAIMS_BYTES:
                raise UsageError(f"standard input has more than {CLAIMS_BYTES:,} bytes of claims; judge them in parts")
        else:
            data = read_bounded(name, CLAIMS_BYTES)
        if not data.strip():
            where = "standard input" if name == "-" else name
            raise UsageError(f'{where} is empty; write a line {{"path": ..., "line": ..., "kind": ...}} for each claim')
        return read_claims(data.decode("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"the claims in {name} cannot be read: {reason_of(error)}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"the claims in {name} are not UTF-8 ({error.reason})") from error
    except ValueError as error:
        raise UsageError(f"the claims in {name} cannot be read: {error}") from error


def _recorded(typed: argparse.Namespace, facts: Mapping[str, CodeFacts]) -> _Recorded | None:
    """The run that claims are judged by; None without one. Raises UsageError where it cannot be had."""
    if typed.run is not None:
        return _Recorded(_run(typed, facts), Path.cwd(), {})
    if typed.evidence is None:
        return None
    try:
        evidence = read_evidence(typed.evidence)
        document = from_json(document_in(typed.evidence), _Runs, newer=True)
    except (UnusableEvidence, Damaged) as error:
        raise UsageError(str(error)) from error
    simulated = next((run for run in document.runs if run.simulated is not None), None)
    if simulated is None:
        raise UsageError(f"{typed.evidence} is not of a run on a simulated GPU: add --device simulated to the probe")
    written = typed.evidence.stat().st_mtime
    return _Recorded(simulated, evidence_root(evidence.judged), evidence.judged.digests, written)


def _run(typed: argparse.Namespace, facts: Mapping[str, CodeFacts]) -> Run:
    """Run the script. Raises UsageError where it cannot be started."""
    from trainlint_probe.of_run import watched_run

    wanted = "simulated" if typed.device in (None, "auto") else typed.device
    if not wanted.startswith("simulated"):
        raise UsageError(f"claims are judged on a simulated GPU, and not on {wanted}; leave out --device")
    try:
        words = shlex.split(typed.run)
    except ValueError as error:
        raise UsageError(f"the command of --run cannot be read ({error})") from error
    if words and _PYTHON.fullmatch(PurePath(words[0]).stem):
        words = words[1:]
    if not words:
        raise UsageError(f"--run names no script; {_AS_IN}")
    given = ["--device", wanted, "--timeout", str(typed.timeout)]
    given += ["--steps", str(typed.steps)] if typed.steps else []
    options = read_options([*given, *words])
    if not options.module and not Path(str(options.script)).is_file():
        raise UsageError(f"--run: there is no script {options.script}; {_AS_IN}")
    return watched_run(replace(options, lines_of=tuple(each.real for each in facts.values() if not each.fault)))


def _note(run: Run, *, told: bool) -> str:
    """What a reader must know of the run; empty where it saw all that it was to see."""
    ended = OUTCOMES.get(run.outcome, run.outcome)
    if not told:
        why = run.failure or ended
        note = f"The run took no step ({why}), so all answers rest on the code alone."
        return f"{note} {about_python(run.failure)}".rstrip()
    if run.outcome == "window closed":
        return ""
    failed = f": {run.failure}" if run.failure else ""
    return f"The run was cut short after {len(run.steps)} steps ({ended}{failed})."


def _changed(facts: Mapping[str, CodeFacts], recorded: _Recorded) -> dict[str, str]:
    """The files that evidence says nothing of, since they have changed: each with the reason."""
    if recorded.written is None:
        return {}
    digests = {os.path.realpath(recorded.root / path): digest for path, digest in recorded.digests.items()}
    return {
        path: "it has changed since the evidence was written"
        for path, each in facts.items()
        if not each.fault and _is_other(each.real, digests.get(each.real), recorded.written)
    }


def _is_other(path: str, digest: str | None, written: float) -> bool:
    try:
        if digest is None:
            return Path(path).stat().st_mtime > written
        return hashlib.sha256(Path(path).read_bytes()).hexdigest() != digest
    except OSError:
        return True
