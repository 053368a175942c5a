"""A command line as it may be shown: the values of options that look secret are left out."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SECRET = re.compile(r"(token|key|passw|secret|credential|auth)", re.IGNORECASE)
_OPTION = re.compile(r"-{0,2}[\w.+-]+")
HIDDEN = "..."


def without_secrets(words: Sequence[str]) -> tuple[str, ...]:
    """The words of a command, with "..." for what follows `--token` and the like, or stands after `api_key=`.

    A word with a user's name and password in an address (`https://user:password@host`) loses the password.
    """
    shown: list[str] = []
    hide_next = False
    for word in words:
        name, equals, _ = word.partition("=")
        is_named = bool(_OPTION.fullmatch(name)) and bool(_SECRET.search(name))
        if hide_next and not word.startswith("-"):
            shown.append(HIDDEN)
        elif equals and is_named:
            shown.append(f"{name}={HIDDEN}")
        else:
            shown.append(re.sub(r"(//[^/@:\s]*:)[^/@\s]+@", rf"\1{HIDDEN}@", word))
        hide_next = is_named and not equals and word.startswith("-")
    return tuple(shown)
