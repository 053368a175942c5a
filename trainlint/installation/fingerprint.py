"""What trainlint's answers depend on besides the files it judges and their settings, as one short text.

Whatever is kept from one run to the next, such as the catalogue of rules and the cache of findings, is believed only
while the fingerprint is the same.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import source_hash  # the hash by which Python recognises source files; hashlib costs 3 ms to import

import trainlint
from trainlint.installation.distributions import distributions, find_packs, homes

_ASKED = ("libcst", "pyyaml")
"""Distributions that read the files that are judged."""


@cache  # what a process imported stays as it was, whatever happens to the files
def fingerprint() -> str:
    """16 hexadecimal digits for the versions of trainlint, of Python and of the libraries that read files, and for
    size and time of every module of trainlint and of each installed rule pack.
    """
    found = distributions(tuple(sys.path))
    versions = [os.path.basename(found.get(name, "")) for name in _ASKED]
    return digest([trainlint.__version__, sys.version, *versions, *stats_below(folders())])


def folders() -> list[str]:
    """Where trainlint's own modules lie, and those of each rule pack; where Python finds no pack, its mere name."""
    targets = sorted({target for _, target in find_packs()})
    return [os.path.dirname(trainlint.__file__), *(home for target in targets for home in homes(target) or (target,))]


def digest(facts: Iterable[str]) -> str:
    """A short text that is another one whenever one of the facts is."""
    return source_hash("\n".join(facts).encode("utf-8", "surrogateescape")).hex()


def stats_below(places: Iterable[str]) -> Iterator[str]:
    """Path, size and time of each Python file at or below the places, in a stable order.

    What lies in an archive is as old as the archive.
    """
    waiting = sorted(places, reverse=True)
    while waiting:
        place = waiting.pop()
        try:
            with os.scandir(place) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    if entry.name.endswith(".py"):
                        status = entry.stat()
                        yield f"{entry.path} {status.st_size} {status.st_mtime_ns}"
                    elif entry.name != "__pycache__" and entry.is_dir():
                        waiting.append(entry.path)
        except NotADirectoryError:
            yield _stat(place)
        except OSError as error:
            yield f"{place} {error.strerror}"


def _stat(place: str) -> str:
    while place != os.path.dirname(place):
        try:
            status = os.stat(place)
        except OSError:
            place = os.path.dirname(place)
        else:
            return f"{place} {status.st_size} {status.st_mtime_ns}"
    return place
