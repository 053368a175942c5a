"""Small texts of trainlint's own that are kept as Python keeps bytecode: worth nothing once they are gone.

They lie in the `__pycache__` beside trainlint's modules. Where that cannot be written to, or PYTHONDONTWRITEBYTECODE
says that nothing be written there, they lie in the user's cache directory.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress

from trainlint.fingerprint import digest


def kept_texts(name: str) -> Iterator[str]:
    """What was kept under a name, from each place where it may lie, as far as it is whole. It may be of any day."""
    for file in _files(name):
        with suppress(OSError, ValueError), open(file, encoding="utf-8") as stream:
            first_line, _, text = stream.read().partition("\n")
            if first_line == digest([text]):
                yield text


def keep(name: str, text: str) -> None:
    """Keep a text under a name, at the first place that can be written to, if there is one."""
    beside_modules, of_user = _files(name)
    for file in (of_user,) if sys.dont_write_bytecode else (beside_modules, of_user):
        if file and _written(file, text):
            return


def _files(name: str) -> tuple[str, str]:
    """Beside trainlint's bytecode, unless that is in an archive, and where the caches of the user lie."""
    cached = __spec__.cached or ""
    version = sys.implementation.cache_tag or "python"
    # In the user's cache directory several environments meet.
    return (
        os.path.join(os.path.dirname(cached), f"{name}.{version}.json") if cached else "",
        os.path.join(_caches_of_user(), "trainlint", f"{name}.{version}.{digest([__file__])}.json"),
    )


def _caches_of_user() -> str:
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA") or os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches")
    return os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")


def _written(file: str, text: str) -> bool:
    """Whether a file could be written. Another process sees the old text or the new one, and never a part."""
    unfinished = f"{file}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(unfinished, "x", encoding="utf-8") as stream:
            stream.write(f"{digest([text])}\n{text}")
        os.replace(unfinished, file)
    except OSError:
        with suppress(OSError):
            os.unlink(unfinished)
        return False
    return True
