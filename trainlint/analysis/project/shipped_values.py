"""What configuration files and launch scripts set options to, by a linear scan of their text.

No parser is used: a file may be of any dialect or a template, and a value that is not a plain word counts as unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from trainlint.patterns import lazy

PASSED = "?"
"""A value that the text does not tell."""
GIVEN = "--"
"""Before the name of an option that is known to be one only if code declares it, as keys of JSON and flags are."""
NAMES = ""
"""In place of an option: all names that configurations and launch scripts hold, of which each may be that of a class or
function."""
_CONFIGURATION = (".yaml", ".yml", ".toml")
_FLAG = lazy(r"""(?:^|\s)--([A-Za-z][\w-]{0,60})(?:(?:=|[ \t]{1,9})("[^"\n]*"|'[^'\n]*'|[^\s"'\\-][^\s"'\\]*))?""")
_PAIR = lazy(
    r"""^[\t -]{0,80}["']?([A-Za-z_]\w{0,60})["']?\s?[:=][ \t]{0,9}("[^"\n]*"|'[^'\n]*'|[^\s,#"'\[{][^\s,#]*)?""",
    re.M,
)
_KEY = lazy(r""""([A-Za-z_]\w{0,60})"[ \t]{0,9}:[ \t]{0,9}("[^"\n]*"|[^\s,}\]\["{]+)?""")
_OVERRIDE = lazy(r"""(?:^|\s)\+{0,2}(?:[A-Za-z_]\w{0,60}\.){0,9}([A-Za-z_]\w{0,60})=("[^"\n]*"|'[^'\n]*'|[^\s"'\\]+)""")
"""As Hydra and OmegaConf read it: `model.use_ema=true`."""
_NAME = lazy(r"[A-Za-z_]\w{2,60}")
_FENCE = lazy(r"^[ \t]*(```|~~~)", re.M)
_CONSTANTS = {
    "true": "True",
    "yes": "True",
    "on": "True",
    "false": "False",
    "no": "False",
    "off": "False",
    "null": "None",
    "none": "None",
    "~": "None",
}
_SIGNS_OF_NUMBERS = frozenset("0123456789+-.eE")
_NAME_A_CLASS = frozenset({"_target_", "target", "class_path", "_component_", "class"})
"""Keys under which a class stands by its dotted name, for Hydra, OmegaConf, Lightning and torchtune to build an object
of it."""
_LONGEST = 60
"""Of a value, among them names under which a registry holds a class."""
_LONGEST_NAME = 160
"""Of a class, with its packages."""


def shipped_values(texts: Iterable[tuple[str, str]]) -> Mapping[str, frozenset[str]]:
    """Option → the values that files set it to, of the suffixes and texts of these files.

    Values are constants as Python writes them (`"True"`, `"'mean'"`), or PASSED. Under `NAMES` stand names instead.
    """
    found: dict[str, set[str]] = {}
    names: set[str] = set()
    for suffix, text in texts:
        settings = list(_settings(suffix, text))
        for name, value in settings:
            found.setdefault(name, set()).add(value)
        # A page shows what a reader may do, too: of its code only what commands set counts.
        names.update(_NAME.findall(" ".join(value for _, value in settings) if suffix == ".md" else text))
    if names:
        found[NAMES] = names
    return {name: frozenset(values) for name, values in found.items()}


def _settings(suffix: str, text: str) -> Iterator[tuple[str, str]]:
    if suffix in _CONFIGURATION:
        for name, value in _PAIR.findall(text):
            yield name, _value(value, _longest(name))
    elif suffix == ".json":
        for name, value in _KEY.findall(text):
            yield GIVEN + name, _value(value, _longest(name))
    else:
        text = _code_of(text) if suffix == ".md" else _without_comments(text)
    for command in text.replace("\\\n", "  ").splitlines():  # a line goes on behind a backslash at its end
        for flag, written in _FLAG.findall(command) if "--" in command else ():
            yield GIVEN + flag.replace("-", "_"), _value(written) if written else "True"
    if suffix not in _CONFIGURATION and suffix != ".json":
        for name, value in _OVERRIDE.findall(text):
            yield GIVEN + name, _value(value)


def _longest(name: str) -> int:
    return _LONGEST_NAME if name in _NAME_A_CLASS else _LONGEST


def _value(written: str, longest: int = _LONGEST) -> str:
    """A value as Python writes it; PASSED for what is empty, long, a variable or no plain word."""
    text = written.strip()
    if text[:1] in ("'", '"'):
        inner = text[1:-1]
        return PASSED if not inner or "$" in inner or len(inner) > longest else repr(inner)
    if text.lower() in _CONSTANTS:
        return _CONSTANTS[text.lower()]
    if (number := _number(text)) is not None:
        return repr(number)
    return repr(text) if re.fullmatch(r"[\w./-]+", text) and len(text) <= longest else PASSED


def _number(text: str) -> int | float | None:
    """The number that a text writes; None for other texts."""
    if not text or len(text) > _LONGEST or not _SIGNS_OF_NUMBERS.issuperset(text):
        return None
    try:
        return int(text) if text.lstrip("+-").isdigit() else float(text)
    except ValueError:
        return None


def _code_of(text: str) -> str:
    """What stands in fenced blocks of Markdown: prose names options without setting them."""
    parts = _FENCE.split(text)
    # Each fence adds two items: itself and what follows.
    return "\n".join(part for number, part in enumerate(parts[2::2]) if number % 2 == 0)


def _without_comments(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
