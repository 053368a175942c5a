"""`trainlint clean`: delete the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.bounded import reason_of
from trainlint.cache.place import is_own, own_caches, remove, size_of
from trainlint.cli import console
from trainlint.cli.caching import directory_of_cache
from trainlint.cli.console import UsageError
from trainlint.installation.kept_texts import delete_kept
from trainlint.user_cache import Unusable, directory_of_caches

if TYPE_CHECKING:
    from argparse import Namespace
    from pathlib import Path


def clean(options: Namespace) -> int:
    """Delete the cache that `trainlint check` would use here, or with --all those of all projects.

    Raises UsageError where there is something that trainlint did not write.
    """
    try:
        if options.all:
            caches = directory_of_caches(options.cache_dir)
            found = own_caches(caches)
            if _delete_kept(caches):
                console.note(f"Deleted the list of rules in {caches}.")
            elif not found:
                console.note(f"There is no cache in {caches}.")
        else:
            directory = directory_of_cache(options, ())
            found = [directory]
            if not directory.is_dir():
                console.note(f"There is no cache at {directory}.")
                return 0
    except Unusable as error:
        raise UsageError(str(error)) from error
    for directory in found:
        _delete(directory)
    return 0


def _delete_kept(caches: str) -> bool:
    try:
        return delete_kept(caches)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise UsageError(f"the list of rules in {caches} could not be deleted ({why})") from error


def _delete(directory: Path) -> None:
    if not is_own(directory):
        raise UsageError(f"{directory} is no cache of trainlint, so nothing in it was deleted")
    size = size_of(directory)
    try:
        remove(directory)
    except OSError as error:
        raise UsageError(f"{directory} could not be deleted as a whole ({reason_of(error)})") from error
    console.note(f"Deleted {directory} ({size / 1_000_000:.1f} MB).")
