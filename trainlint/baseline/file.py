"""The file of a baseline: JSON with one line for each finding, described in baseline.schema.json."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from trainlint.baseline.identity import Identity
from trainlint.baseline.matching import Entry
from trainlint.bounded import BASELINE_BYTES, TooManyValues, load_bounded, read_bounded, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterable

DEFAULT_NAME = ".trainlint-baseline.json"
VERSION = 1
"""Raised when an entry changes its meaning. A reader refuses any other."""
_KEYS = ("path", "code", "function", "line")
_LATER_KEYS = ("statement", "id")
"""Baselines from before these keys were are read as well."""


class UnusableBaseline(ValueError):
    """A file is no baseline that this trainlint reads; the message is a sentence that says why and what to do."""


def read_baseline(path: str, shown: str) -> tuple[Entry, ...]:
    """The entries of a baseline, with absolute paths. Raises UnusableBaseline, whose sentence begins with `shown`."""
    again = f"delete it and run `trainlint baseline -o {shown}`"
    try:
        whole = load_bounded(read_bounded(path, BASELINE_BYTES))
    except FileNotFoundError:
        raise UnusableBaseline(
            f"{shown}: there is no such baseline; `trainlint baseline -o {shown}` writes it"
        ) from None
    except OSError as error:
        raise UnusableBaseline(f"{shown} cannot be read as a baseline ({reason_of(error)}); {again}") from None
    except TooManyValues as error:
        raise UnusableBaseline(f"{shown} cannot be read as a baseline: {error}; {again}") from None
    except (ValueError, RecursionError) as error:
        raise UnusableBaseline(f"{shown} is not JSON ({error}): it was cut off or edited; {again}") from None
    if not isinstance(whole, dict) or "trainlint_baseline" not in whole:
        raise UnusableBaseline(f"{shown} is no baseline of trainlint; name another file")
    version = whole["trainlint_baseline"]
    if type(version) is int and version > VERSION:
        raise UnusableBaseline(
            f"{shown} was written by a newer trainlint (form {version}; this one reads form {VERSION}); "
            f"install that one, or {again}"
        )
    if type(version) is not int or version != VERSION:
        raise UnusableBaseline(f"{shown} has the form {json.dumps(version)}, which no trainlint has written; {again}")
    listed = whole.get("findings")
    if not isinstance(listed, list):
        raise UnusableBaseline(f"{shown} has no list `findings`; {again}")
    directory = os.path.dirname(path)
    return tuple(_entry(item, number, directory, shown, again) for number, item in enumerate(listed, 1))


def _entry(item: Any, number: int, directory: str, shown: str, again: str) -> Entry:
    values = [value for key in _KEYS if isinstance(value := item.get(key), str)] if isinstance(item, dict) else []
    if len(values) < len(_KEYS) or "\0" in values[0]:
        raise UnusableBaseline(
            f"{shown}: its finding number {number} should be an object with the texts {', '.join(_KEYS)}; {again}"
        )
    path, code, function, line = values
    statement, identifier = (str(item.get(key, "")) for key in _LATER_KEYS)
    identity = Identity(code, function, statement, line)
    return Entry(os.path.normpath(os.path.join(directory, path)), identity, identifier)


def baseline_text(entries: Iterable[Entry], directory: str) -> str:
    """The text of the file with these entries, sorted, in a directory. Pure ASCII."""
    written = sorted(tuple(_object(entry, directory).items()) for entry in entries)
    lines = ",\n".join(f"    {json.dumps(dict(items))}" for items in written)
    findings = f"[\n{lines}\n  ]" if lines else "[]"
    return f'{{\n  "trainlint_baseline": {VERSION},\n  "findings": {findings}\n}}\n'


def below(path: str, directory: str) -> str:
    """An absolute path relative to a directory, with forward slashes; absolute where there is no way from there."""
    try:
        relative = os.path.relpath(path, directory)
    except ValueError:  # another drive
        relative = path
    return relative.replace(os.sep, "/")


def _object(entry: Entry, directory: str) -> dict[str, str]:
    identity = entry.identity
    values = below(entry.path, directory), identity.code, identity.function, identity.line, identity.statement, entry.id
    return {key: text for key, text in zip((*_KEYS, *_LATER_KEYS), values, strict=True) if text or key in _KEYS}
