"""Which options configuration files and launch scripts turn on, by a linear scan of their text.

No parser is used: a file may be of any dialect or a template, and a value that is not a plain word counts as on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from trainlint.patterns import lazy

_CONFIGURATION = (".yaml", ".yml", ".toml")
_FLAG = lazy(r"""(?:^|\s)--([A-Za-z][\w-]{0,60})(?:(?:=|[ \t]{1,9})("[^"\n]*"|'[^'\n]*'|[^\s"'\\-][^\s"'\\]*))?""")
_PAIR = lazy(
    r"""^[\t -]{0,80}["']?([A-Za-z_]\w{0,60})["']?\s?[:=][ \t]{0,9}("[^"\n]*"|'[^'\n]*'|[^\s,#"'\[{][^\s,#]*)?""",
    re.M,
)
_KEY = lazy(r""""([A-Za-z_]\w{0,60})"[ \t]{0,9}:[ \t]{0,9}("[^"\n]*"|[^\s,}\]\["{]+)?""")
_OVERRIDE = lazy(r"""(?:^|\s)\+{0,2}(?:[A-Za-z_]\w{0,60}\.){0,9}([A-Za-z_]\w{0,60})=("[^"\n]*"|'[^'\n]*'|[^\s"'\\]+)""")
"""As Hydra and OmegaConf read it: `model.use_ema=true`."""
_FENCE = lazy(r"^[ \t]*(```|~~~)", re.M)
_OFF = frozenset({"false", "no", "off", "null", "none", "~"})
"""Values that turn nothing on, as is a zero."""
_SIGNS_OF_NUMBERS = frozenset("0123456789+-.eE")
_LONGEST = 60
"""Of a number."""


def turned_on(texts: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The options that files set to something else than off, of the suffixes and texts of these files."""
    return frozenset(
        name for suffix, text in texts for name, written in _settings(suffix, text) if not _is_off(written)
    )


def _settings(suffix: str, text: str) -> Iterator[tuple[str, str]]:
    """Each option with its value as written; a flag without a value has "true"."""
    if suffix in _CONFIGURATION:
        yield from _PAIR.findall(text)
    elif suffix == ".json":
        yield from _KEY.findall(text)
    else:
        text = _code_of(text) if suffix == ".md" else _without_comments(text)
    for command in text.replace("\\\n", "  ").splitlines():  # a line goes on behind a backslash at its end
        for flag, written in _FLAG.findall(command) if "--" in command else ():
            yield flag.replace("-", "_"), written or "true"
    if suffix not in _CONFIGURATION and suffix != ".json":
        yield from _OVERRIDE.findall(text)


def _is_off(written: str) -> bool:
    text = written.strip()
    return text.lower() in _OFF or _number(text) == 0


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
