"""`trainlint clean`: delete the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainlint.cache.place import is_own, remove, size_of
from trainlint.catalogue import installed_rules
from trainlint.cli import console
from trainlint.cli.caching import directory_of_cache
from trainlint.cli.console import UsageError
from trainlint.config import ConfigError
from trainlint.engine.configurations import Configurations
from trainlint.installed import PackError

if TYPE_CHECKING:
    from argparse import Namespace


def clean(options: Namespace) -> int:
    """Delete the cache that `trainlint check` would use here. Raises UsageError where it is none of trainlint's."""
    try:
        configurations = Configurations(installed_rules(), config_file=options.config, isolated=options.isolated)
    except PackError as error:
        raise UsageError(*error.sentences) from error
    except ConfigError as error:
        raise UsageError(str(error)) from error
    directory = directory_of_cache(options, configurations)
    if not directory.is_dir():
        console.note(f"There is no cache at {directory}.")
        return 0
    if not is_own(directory):
        raise UsageError(f"{directory} is no cache of trainlint, so nothing in it was deleted")
    size = size_of(directory)
    try:
        remove(directory)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise UsageError(f"{directory} could not be deleted as a whole ({why})") from error
    console.note(f"Deleted {directory} ({size / 1_000_000:.1f} MB).")
    return 0
