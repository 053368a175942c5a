"""What a run proved of findings, read from the document that `trainlint probe --output-format json` writes.

That document may be months old, from another version, or cut off by a full disk. What does not fit is refused with a
sentence that names the file and the place. Keys that are not known are passed over, as the document's schema asks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trainlint.evidence import Interval, Judged, Line, State, Verdict
from trainlint.records import dataclass

FORMAT_VERSION = 1
"""Of the document. A reader refuses any other."""

_AGAIN = "run `trainlint probe --output-format json -o FILE train.py` again"


class UnusableEvidence(ValueError):
    """A file is no evidence; the message is a sentence that says where and why."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a run proved of the findings of `trainlint check`."""

    file: str
    """Where it was read from, as the user named it."""
    run: str
    """What was measured, as in "20 steps on cpu"."""
    judged: Judged
    verdicts: tuple[Verdict, ...]
    """Without those on what only a run shows."""


def read_evidence(path: Path) -> Evidence:
    """The evidence that a file holds. Raises UnusableEvidence."""
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnusableEvidence(f"{path} cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise UnusableEvidence(f"{path} is not JSON ({error}): it was cut off or edited; {_AGAIN}") from None
    if not isinstance(whole, dict) or "format_version" not in whole:
        raise UnusableEvidence(f"{path} was not written by `trainlint probe`; {_AGAIN}")
    version = whole["format_version"]
    if version != FORMAT_VERSION:
        raise UnusableEvidence(
            f"{path} has format {_shown(version)}, and this trainlint reads format {FORMAT_VERSION}; {_AGAIN}"
        )
    if "verdicts" in whole and "judged" not in whole:
        raise UnusableEvidence(f"{path} is too old: it does not say which files it is about; {_AGAIN}")
    try:
        verdicts = [_verdict(item, f"verdicts[{index}]") for index, item in enumerate(_of(whole, "verdicts", list))]
        judged = _judged(_of(whole, "judged", dict))
        run = _run(whole)
    except UnusableEvidence as damage:
        raise UnusableEvidence(f"{path}: {damage}; {_AGAIN}") from None
    return Evidence(str(path), run, judged, tuple(verdict for verdict in verdicts if not verdict.new))


def _judged(judged: Mapping[str, Any]) -> Judged:
    digests = _of(judged, "digests", dict, "judged")
    for path in digests:
        _of(digests, path, str, "judged.digests")
    return Judged(_of(judged, "directory", str, "judged", optional=True), digests)


def _verdict(verdict: Any, place: str) -> Verdict:
    _expect(isinstance(verdict, dict), verdict, place)
    state = _of(verdict, "state", str, place)
    _expect(any(state == known.value for known in State), state, f"{place}.state")
    at = _of(verdict, "at", dict, place)
    return Verdict(
        code=_of(verdict, "code", str, place),
        name=_of(verdict, "name", str, place),
        at=Line(_of(at, "path", str, f"{place}.at"), _of(at, "line", int, f"{place}.at")),
        state=State(state),
        sentence=_of(verdict, "sentence", str, place),
        cost=_interval(verdict, "cost", place),
        share=_interval(verdict, "share", place),
        per_step=_of(verdict, "per_step", float, place, optional=True),
        basis=_of(verdict, "basis", str, place),
        message=_of(verdict, "message", str, place),
        new=_of(verdict, "new", bool, place),
    )


def _interval(verdict: Mapping[str, Any], key: str, place: str) -> Interval | None:
    """An interval; None where it is not known, or a bound is not finite, for which the document has null."""
    bounds = _of(verdict, key, dict, place, optional=True)
    if bounds is None:
        return None
    low, high = (_of(bounds, bound, float, f"{place}.{key}", optional=True) for bound in ("low", "high"))
    return None if low is None or high is None else Interval(low, high)


def _run(whole: Mapping[str, Any]) -> str:
    runs = _of(whole, "runs", list)
    if not runs:
        return "by a trace"
    _expect(isinstance(runs[0], dict), runs[0], "runs[0]")
    steps, device = len(_of(runs[0], "steps", list, "runs[0]")), _of(runs[0], "device", str, "runs[0]")
    return f"{steps} step{'' if steps == 1 else 's'} on {device}"


def _of(owner: Mapping[str, Any], key: str, kind: type, place: str = "", *, optional: bool = False) -> Any:
    """What stands under a key, of a kind that JSON knows; with `optional` it may be null."""
    here = f"{place}.{key}".lstrip(".")
    if key not in owner:
        raise UnusableEvidence(f"{here} is missing")
    value = owner[key]
    if value is None and optional:
        return None
    right = type(value) in (int, float) if kind is float else type(value) is kind
    _expect(right, value, here)
    return value


def _expect(right: bool, value: object, place: str) -> None:
    if not right:
        raise UnusableEvidence(f"{place} is {_shown(value)}, which cannot be")


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
