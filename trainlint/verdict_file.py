"""What a run proved of findings, read from the document that `trainlint probe --output-format json` writes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from trainlint.bounded import EVIDENCE_BYTES, TooManyValues, load_bounded, read_bounded
from trainlint.evidence.as_json import Damaged, from_json
from trainlint.evidence.run import OUTCOMES, Phase
from trainlint.evidence.verdicts import Judged, Verdict
from trainlint.patterns import lazy
from trainlint.project import repository_around

FORMAT_VERSION = 3
"""Of the document. A reader refuses any other."""

_PYTHON = lazy(r"(?i)python[\d.]*")
_AGAIN = "run `trainlint probe --output-format json -o FILE train.py` again"


class UnusableEvidence(ValueError):
    """A file is no evidence; the message is a sentence that says where and why."""


@dataclass(frozen=True, slots=True)
class MeasuredStep:
    """A step, as far as it is read again."""

    ms: float
    phases: Mapping[Phase, float] = field(default_factory=dict)
    """Milliseconds."""


@dataclass(frozen=True, slots=True)
class MeasuredLoader:
    """A DataLoader, as far as it is read again."""

    settings: Mapping[str, str]
    """Its arguments, in Python's writing."""


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One process of a run, as far as it is read again."""

    steps: tuple[MeasuredStep, ...]
    device: str
    outcome: str
    loaders: tuple[MeasuredLoader, ...] = ()
    command: tuple[str, ...] = ()
    """What was run, as the user wrote it."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a run proved of the findings of `trainlint check`."""

    file: str
    """Where it was read from, as the user named it."""
    run: str
    """What was measured, as in "20 steps of train.py on cpu"."""
    judged: Judged
    verdicts: tuple[Verdict, ...]
    """Without those on what only a run shows."""
    cut_short: str = ""
    """Why the run did not see all the steps that it was to see; empty where it did. What such a run is silent of may
    be dear all the same."""
    runs: tuple[MeasuredRun, ...] = ()
    """The processes that were watched."""


@dataclass(frozen=True, slots=True)
class _Document:
    """What is read of the document."""

    runs: tuple[MeasuredRun, ...]
    verdicts: tuple[Verdict, ...]
    judged: Judged


def read_evidence(path: Path) -> Evidence:
    """The evidence that a file holds. Raises UnusableEvidence."""
    whole = document_in(path)
    try:
        document = from_json(whole, _Document, newer=True)
    except Damaged as damage:
        raise UnusableEvidence(f"{path}: {str(damage).rstrip('.')}; {_AGAIN}") from None
    verdicts = tuple(verdict for verdict in document.verdicts if not verdict.new)
    return Evidence(
        str(path), _words(document.runs), document.judged, verdicts, _why_cut_short(document.runs), document.runs
    )


def document_in(path: Path) -> dict[str, Any]:
    """The document in a file, of the format that is read here. Raises UnusableEvidence."""
    try:
        whole = load_bounded(read_bounded(path, EVIDENCE_BYTES))
    except OSError as error:
        raise UnusableEvidence(f"{path} cannot be read ({error.strerror})") from None
    except TooManyValues as error:
        raise UnusableEvidence(f"{path} cannot be read: {error}; {_AGAIN}") from None
    except (ValueError, RecursionError) as error:
        raise UnusableEvidence(f"{path} is not JSON ({error}): it was cut off or edited; {_AGAIN}") from None
    if not isinstance(whole, dict) or "format_version" not in whole:
        raise UnusableEvidence(f"{path} was not written by `trainlint probe`; {_AGAIN}")
    version = whole["format_version"]
    if version != FORMAT_VERSION:
        raise UnusableEvidence(
            f"{path} has format {json.dumps(version)}, and this trainlint reads format {FORMAT_VERSION}; {_AGAIN}"
        )
    if "verdicts" in whole and "judged" not in whole:
        raise UnusableEvidence(f"{path} is too old: it does not say which files it is about; {_AGAIN}")
    return whole


def evidence_root(judged: Judged) -> Path:
    """Where the paths of evidence start: the run may have been started elsewhere in the repository."""
    here = Path.cwd()
    repository = repository_around(str(here))
    return here if judged.directory is None or repository is None else Path(repository) / judged.directory


def _words(runs: tuple[MeasuredRun, ...]) -> str:
    if not runs:
        return "by a trace"
    steps = len(runs[0].steps)
    script = script_of(runs[0].command)
    return f"{steps} step{'' if steps == 1 else 's'}{f' of {script}' if script else ''} on {runs[0].device}"


def script_of(command: Sequence[str]) -> str:
    """The script, or the module, of a command: "train.py" of "python train.py --lr 1"; empty where there is none."""
    return next((word for word in command if word != "-m" and not _PYTHON.fullmatch(PurePath(word).stem)), "")


def _why_cut_short(runs: tuple[MeasuredRun, ...]) -> str:
    return next((OUTCOMES.get(run.outcome, run.outcome) for run in runs if run.outcome != "window closed"), "")
