"""Reads values from git's configuration files, without git."""

from __future__ import annotations

from collections.abc import Iterator

_ESCAPED = {"n": "\n", "t": "\t", "b": "\b"}


def settings(data: bytes) -> Iterator[tuple[str, str, str]]:
    """Section, key and value of each setting, in their order; sections and keys in lower case.

    A section with a name of its own, such as `[remote "origin"]`, is given as `remote.origin`. A key without a value
    is true to git, and is given as "true". Reading ends at the first line that git would call an error.
    """
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff").replace("\r\n", "\n")
    lines = iter(text.split("\n"))
    section = ""
    for line in lines:
        line = line.strip()
        if line.startswith("["):
            head, closed, line = line[1:].partition("]")
            if not closed:
                return
            name, _, own = head.partition(" ")
            section = name.lower() + (f".{own.strip()[1:-1]}" if own else "")
            line = line.strip()
        if not line or line[0] in "#;":
            continue
        key, assigned, value = line.partition("=")
        if not assigned:
            key, value = key.partition("#")[0].partition(";")[0], "true"
        else:
            value = _value(value, lines)
        yield section, key.strip().lower(), value


def _value(text: str, following: Iterator[str]) -> str:
    """A value without its quotes and its comment; a backslash at the end of a line joins the next one to it."""
    value: list[str] = []
    kept = 0  # spaces at the end count only in quotes
    quoted = False
    characters = iter(text.lstrip())
    while (character := next(characters, "")) or quoted:
        if not character:  # a quote that is not closed is an error to git
            break
        if character == "\\":
            escaped = next(characters, "")
            if not escaped:
                kept = len(value)  # git keeps spaces before a backslash
                characters = iter(next(following, ""))
                continue
            value.append(_ESCAPED.get(escaped, escaped))
            kept = len(value)
        elif character == '"':
            quoted = not quoted
            kept = len(value)
        elif character in "#;" and not quoted:
            break
        else:
            value.append(character)
            if quoted or not character.isspace():
                kept = len(value)
    return "".join(value[:kept])
