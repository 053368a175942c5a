"""Values of settings as a configuration file holds them."""

from __future__ import annotations

import json
import re

from trainlint.finding import Confidence, Severity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from trainlint.config.keys import Key


def plain(key: Key, value: object) -> object:
    """A value of `Config` in the terms of TOML and JSON: texts, numbers, lists and tables."""
    if key.kind.schema.get("type") == "object":
        assert isinstance(value, tuple)
        return {name: _plain(entry) for name, entry in value}
    return _plain(value)


def _plain(value: object) -> object:
    match value:
        case None:
            return None
        case Severity() | Confidence():
            return value.label
        case bool() | int() | float():
            return value
        case tuple():
            return list(map(_plain, value))
        case _:
            return str(value)


def toml(value: object) -> str:
    """A plain value in TOML, on one line, in ASCII."""
    match value:
        case dict():
            entries = ", ".join(f"{toml_key(name)} = {toml(entry)}" for name, entry in value.items())
            return f"{{ {entries} }}" if entries else "{}"
        case list():
            return f"[{', '.join(map(toml, value))}]"
        case str():
            return _quoted(value)
        case _:
            return json.dumps(value)


def toml_key(name: str) -> str:
    """A key in TOML, in quotes where it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)


def _quoted(text: str) -> str:
    """A text in TOML. JSON writes the same, but for DEL and for pairs of surrogates, which TOML does not know."""
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if " " <= character <= "~":
        return character
    return f"\\u{ord(character):04x}" if character <= "\uffff" else f"\\U{ord(character):08x}"
