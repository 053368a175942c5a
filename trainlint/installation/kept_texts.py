"""A small text of trainlint's own that is kept as Python keeps bytecode: worth nothing once it is gone.

It lies in the `__pycache__` beside trainlint's modules, where it is trusted as these modules are. Where that cannot be
written to, or PYTHONDONTWRITEBYTECODE says that nothing be written there, nothing is kept.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from trainlint.bounded import read_bounded
from trainlint.installation.fingerprint import digest

_MOST_BYTES = 16_000_000
"""The rules of trainlint's own pack take 0.2 MB."""


def kept_text(name: str) -> str | None:
    """What was kept under a name, if it is whole. It may be of any day."""
    with suppress(OSError, ValueError):
        first_line, _, text = read_bounded(_file(name), _MOST_BYTES).decode().partition("\n")
        if first_line == digest([text]):
            return text
    return None


def keep(name: str, text: str) -> None:
    """Keep a text under a name, if it can be written: the whole of it, or nothing new."""
    if sys.dont_write_bytecode:
        return
    from trainlint.atomic_write import write_atomically  # most runs keep nothing new

    with suppress(OSError):
        file = _file(name)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        write_atomically(file, f"{digest([text])}\n{text}".encode())


def _file(name: str) -> str:
    """The file beside trainlint's bytecode. Raises FileNotFoundError where trainlint lies in an archive."""
    cached = __spec__.cached
    if not cached:
        raise FileNotFoundError("no bytecode is kept")
    return os.path.join(os.path.dirname(cached), f"{name}.{sys.implementation.cache_tag or 'python'}.json")
