"""Small texts of trainlint's own that are kept as Python keeps bytecode: worth nothing once they are gone.

They lie in the `__pycache__` beside trainlint's modules, where they are trusted as these modules are. Where that cannot
be written to, or PYTHONDONTWRITEBYTECODE says that nothing be written there, they lie in the user's cache directory,
which must be private and no part of what is judged.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial

from trainlint.bounded import read_bounded
from trainlint.installation.fingerprint import digest
from trainlint.patterns import lazy
from trainlint.project import judged_tree, lies_in
from trainlint.user_cache import Unusable, directory_of_caches, is_private, make_private

_MOST_BYTES = 16_000_000
"""The rules of trainlint's own pack take 0.2 MB."""
_KEPT = lazy(r"[a-z]+\.[\w-]+\.[0-9a-f]{16}\.json(\.\d+)?|\.trainlint-[0-9a-f]{16}")
"""Names of files in the user's cache directory. Those that begin with a dot were never finished, and neither were
those that earlier versions gave a number."""


def kept_texts(name: str, judged: Iterable[str] = ()) -> Iterator[str]:
    """What was kept under a name, from each place where it may lie, as far as it is whole. It may be of any day.

    `judged` are the paths that are judged besides the working directory: nothing is read from their projects.
    """
    for find in (_beside_bytecode, partial(_in_caches_of_user, judged=judged)):
        with suppress(OSError, ValueError, Unusable):
            file = find(name)
            first_line, _, text = read_bounded(file, _MOST_BYTES).decode().partition("\n")
            if first_line == digest([text]):
                yield text


def keep(name: str, text: str, judged: Iterable[str] = ()) -> None:
    """Keep a text under a name, at the first place that can be written to, if there is one. `judged`: see above."""
    if not sys.dont_write_bytecode:
        with suppress(OSError):
            file = _beside_bytecode(name)
            os.makedirs(os.path.dirname(file), exist_ok=True)
            _write(file, text)
            return
    with suppress(OSError, Unusable):
        file = _in_caches_of_user(name, judged)
        make_private(os.path.dirname(file))
        _write(file, text)


def delete_kept(caches: str) -> bool:
    """Delete what lies in a directory of caches, of each version and installation; whether there was any.

    Raises OSError where that cannot be done.
    """
    try:
        found = [entry.path for entry in os.scandir(caches) if _KEPT.fullmatch(entry.name)]
    except FileNotFoundError:
        return False
    for file in found:
        os.unlink(file)
    return bool(found)


def _beside_bytecode(name: str) -> str:
    """The file beside trainlint's bytecode. Raises FileNotFoundError where trainlint lies in an archive."""
    cached = __spec__.cached
    if not cached:
        raise FileNotFoundError("no bytecode is kept")
    return os.path.join(os.path.dirname(cached), f"{name}.{_version()}.json")


def _in_caches_of_user(name: str, judged: Iterable[str]) -> str:
    """The file in the user's cache directory, where several environments meet. Raises Unusable."""
    caches = directory_of_caches()
    places = [os.path.abspath(path) for path in judged]
    with suppress(FileNotFoundError):  # the working directory is gone
        places.append(os.getcwd())
    if any(lies_in(caches, judged_tree(place)) for place in places):
        raise Unusable(f"{caches} lies in what is judged")
    file = os.path.join(caches, f"{name}.{_version()}.{digest([__file__])}.json")
    if is_private(caches):
        is_private(file)
    return file


def _version() -> str:
    return sys.implementation.cache_tag or "python"


def _write(file: str, text: str) -> None:
    """Write a file such that another process sees the old text or the new one, and never a part. Raises OSError."""
    from trainlint.atomic_write import write_atomically  # most runs keep nothing new

    write_atomically(file, f"{digest([text])}\n{text}".encode())
