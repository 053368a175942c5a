"""For programs: one JSON object with all that was measured, described in schema/probe.schema.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from trainlint import __version__
from trainlint.evidence.as_json import to_json
from trainlint.evidence.run import Environment, Run
from trainlint.evidence.verdicts import Judged, Verdict
from trainlint_probe.budgets.judged import Spending
from trainlint_probe.report.words import by_cost
from trainlint_probe.result import Ignored, Result
from trainlint_probe.traces.ranks import RanksReading
from trainlint_probe.traces.reading import TraceReading

FORMAT_VERSION = 3
"""Raised when a key changes its meaning or goes away. New keys may come at any time."""


@dataclass(frozen=True, slots=True)
class CouldNotJudge:
    """Something that could not be judged: it makes the exit code 2, unless the run itself was cut short."""

    path: str
    reason: str
    """What happened, and what to do."""
    rule: str | None
    """The code of the rule that failed; TRN001 where the file is no readable Python; null for all else."""


@dataclass(frozen=True, slots=True)
class Document:
    """What `trainlint probe` found out. Readers ignore keys that they do not know."""

    format_version: int
    """Raised when a key changes its meaning or goes away. New keys do not raise it."""
    trainlint_version: str
    runs: tuple[Run, ...]
    """One for each process, the one to speak of first. Empty where only a trace was read."""
    verdicts: tuple[Verdict, ...]
    """What is proved first, then what may cost something, and in each the dearest first."""
    judged: Judged
    """The source files that verdicts are about: one that has changed since is to be measured again."""
    failures: tuple[CouldNotJudge, ...]
    """What could not be judged. That nothing is said of it means nothing."""
    left_out: Mapping[str, str]
    """Files that were at work and are not judged, as those that the configuration excludes: the path and why."""
    ignored: Ignored
    reading: TraceReading | None
    """What a trace shows. Null where none was read."""
    ranks: RanksReading | None
    """What the traces of several ranks show. Null where there were none."""
    budgets: tuple[Spending, ...]
    """What each process spent of its budget. Empty where no budget was asked for."""
    environment: Environment | None
    """The machine and the software of the first run. Null where nothing was run."""


def document(result: Result) -> str:
    """The document, ending with a line feed. Pure ASCII, so that any stream takes it."""
    runs, readings = result.runs, result.readings
    whole = Document(
        format_version=FORMAT_VERSION,
        trainlint_version=__version__,
        runs=runs,
        verdicts=tuple(by_cost(result.verdicts)),
        judged=result.judged,
        failures=tuple(CouldNotJudge(each.path, each.reason, each.rule) for each in result.unjudged.failures),
        left_out=result.unjudged.left_out,
        ignored=result.unjudged.ignored,
        reading=readings if isinstance(readings, TraceReading) else None,
        ranks=readings if isinstance(readings, RanksReading) else None,
        budgets=result.budgets,
        environment=runs[0].environment if runs else None,
    )
    written = to_json(whole)
    return json.dumps(_finite(written), indent=2, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    """JSON knows no infinity and no NaN, and the loss of a training that diverges is one of them."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list) else value
