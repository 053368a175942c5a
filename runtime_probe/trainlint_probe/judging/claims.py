"""Claims about lines, as JSON lines or SARIF."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from trainlint.bounded import TooManyValues, check_values

CLAIMS_BYTES = 20_000_000
"""The most that is read of claims. A claim has some hundred bytes."""


class Claim(NamedTuple):
    """What somebody says about one line."""

    path: str
    line: int
    kind: str
    """As it was written: "wait", "TRN201"."""
    note: str = ""
    fault: str = ""
    """Why it cannot be judged as it was written, in a clause; empty where it can."""

    @property
    def written(self) -> tuple[str, int, str, str]:
        """What was written: path, line, kind and note."""
        return self[:4]


def read_claims(text: str) -> tuple[Claim, ...]:
    """The claims of a text, in their order; one that cannot be read has a `fault`.

    Raises:
        ValueError: the whole text is neither JSON lines nor SARIF; the message is a clause.
    """
    try:
        check_values(text)
    except TooManyValues as error:
        raise ValueError(str(error)) from None
    whole = _whole(text)
    if isinstance(whole, dict) and "runs" in whole:
        return tuple(_of_sarif(whole))
    if isinstance(whole, list):
        return tuple(_claim(item, f"item {number}") for number, item in enumerate(whole, 1))
    return tuple(_of_lines(text))


def _whole(text: str) -> Any:
    """The text as one document of JSON; None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _of_lines(text: str) -> Iterator[Claim]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield _claim(json.loads(line), f"line {number} of the claims")
        except (ValueError, RecursionError) as error:
            yield _unreadable(f"line {number} of the claims is not JSON ({error})")


def _claim(item: Any, where: str) -> Claim:
    if not isinstance(item, dict):
        return _unreadable(f'{where} is no object with "path", "line" and "kind"')
    path, line, kind = item.get("path"), item.get("line"), item.get("kind")
    note = item.get("note")
    if not isinstance(path, str) or not path or "\0" in path:
        return _unreadable(f'{where} has no "path"')
    said = Claim(path, 0, kind if isinstance(kind, str) else "", note if isinstance(note, str) else "")
    if type(line) is not int or line < 1:
        return said._replace(fault=f'{where} has no "line", a number from 1 on')
    if not said.kind:
        return said._replace(line=line, fault=f'{where} has no "kind"')
    return said._replace(line=line)


def _unreadable(fault: str) -> Claim:
    return Claim("", 0, "", "", fault)


def _of_sarif(document: dict[str, Any]) -> Iterator[Claim]:
    """Each result at its first location; its rule is the kind of the claim."""
    runs = document["runs"]
    results = [item for run in _list(runs) if isinstance(run, dict) for item in _list(run.get("results"))]
    for number, result in enumerate(results, 1):
        where = f"result {number} of the SARIF file"
        place = _at(_at(result, "locations", 0), "physicalLocation")
        message = _at(result, "message", "text")
        yield _claim(
            {
                "path": _path(_at(place, "artifactLocation", "uri")),
                "line": _at(place, "region", "startLine"),
                "kind": _at(result, "ruleId") or _at(result, "rule", "id"),
                "note": message,
            },
            where,
        )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _at(value: Any, *keys: str | int) -> Any:
    """What stands in a document below some keys; None where nothing does."""
    for key in keys:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _path(uri: Any) -> Any:
    """A URI as a path: relative to the working directory, as most tools write it."""
    if not isinstance(uri, str):
        return None
    try:
        parts = urlsplit(uri)
    except ValueError:
        return uri
    return unquote(parts.path) if parts.scheme in ("", "file") else uri
