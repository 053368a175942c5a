"""Why trainlint does not name a line, in few words, from what `trainlint why` knows about it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

_RUNS = {
    "epoch": "it is taken to run once an epoch",
    "eval-step": "it is taken to run in evaluation",
    "once": "it is taken to run once",
    "rare": "it is taken to run now and then",
    "worker": "it is taken to run in a worker process",
}
_IN_STEP = frozenset({"step", "inner"})
_HIDDEN = {
    "comment": "found, and a comment allows it",
    "low-confidence": "found, too unsure to be shown",
    "not-selected": "found by a rule that is off",
    "preview": "found by a rule that is off",
}
UNKNOWN_FREQUENCY = "nothing is known of how often it runs"
NO_RULE = "no rule looks at it"
UNKNOWN_VALUE = "nothing is known of a value, or of where it lies"
NOTHING_FOUND = "rules look at it and find nothing"


def reason_of(answer: Mapping[str, Any], line: int, codes: Collection[str]) -> str:
    """Why no default finding names a line.

    Args:
        answer: of `trainlint why --output-format json`, about lines among which it is.
        line: its number.
        codes: the rules that could name it.
    """
    looks = [look for look in _looks(answer, line) if look["code"] in codes]
    hidden = [each["by"] for look in looks for verdict in look["findings"] for each in verdict["hidden"]]
    if hidden:
        return _HIDDEN["low-confidence" if "low-confidence" in hidden else hidden[0]]
    told = max((told for told in answer["lines"] if told["line"] <= line), key=lambda told: told["line"], default=None)
    if told is None or told["heat"] is None or told["heat"]["heat"] == "unknown":
        return UNKNOWN_FREQUENCY
    heat: str = told["heat"]["heat"]
    if heat not in _IN_STEP:
        return _RUNS.get(heat, heat)
    return _in_step(told, looks)


def _looks(answer: Mapping[str, Any], line: int) -> Iterator[Mapping[str, Any]]:
    """Where rules looked at the line."""
    for told in answer["lines"]:
        for look in told["rules"]:
            if look["span"]["start_line"] <= line <= look["span"]["end_line"]:
                yield look


def _in_step(told: Mapping[str, Any], looks: Sequence[Mapping[str, Any]]) -> str:
    if not looks:
        return NO_RULE
    silence = next((look["silence"] for look in looks if look["silence"]), "")
    if silence:
        return f"a rule is silent: {silence}"
    return UNKNOWN_VALUE if told["unknown"] else NOTHING_FOUND
