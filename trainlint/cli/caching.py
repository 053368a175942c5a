"""Which cache a command uses, if any."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from trainlint.cli.console import UsageError
from trainlint.paths import is_directory
from trainlint.project import judged_tree, lies_in, project_around
from trainlint.user_cache import VARIABLE, Unusable, directory_of_caches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from trainlint.cache.cache import Cache


def cache_for(options: Namespace, judged: Iterable[Path]) -> Cache | None:
    """The cache of the working directory's project, for a run that judges these files and directories.

    None with --no-cache. Raises UsageError where the user has named a directory inside what is judged.
    """
    if options.no_cache:
        return None
    from trainlint.cache.cache import Cache
    from trainlint.catalogue import fingerprint_of_rules

    directories = [Path.cwd() / path for path in judged]
    directories = list(dict.fromkeys(path if is_directory(path) else path.parent for path in directories))
    if options.cache_dir or os.environ.get(VARIABLE):
        try:
            _caches(options, directories)  # a mistake of the user's, so it is told before anything is judged
        except Unusable as error:
            raise UsageError(str(error)) from error
    return Cache(partial(directory_of_cache, options, directories), fingerprint_of_rules())


def directory_of_cache(options: Namespace, judged: Iterable[Path]) -> Path:
    """The directory of the working directory's project in the caches. Raises Unusable."""
    from trainlint.cache.place import directory_for

    here = Path.cwd()
    return directory_for(Path(project_around(str(here)) or here), _caches(options, judged))


def _caches(options: Namespace, judged: Iterable[Path]) -> str:
    """The directory of all caches. Raises Unusable where whoever wrote a judged directory may have written it, too."""
    caches = directory_of_caches(options.cache_dir)
    here = Path.cwd()
    for directory in (*judged, *([here] if project_around(str(here)) else [])):
        tree = judged_tree(str(directory))
        if lies_in(caches, tree):
            raise Unusable(
                f"{_named(options, caches)} lies in {tree}, which is judged, and whoever wrote that could have put "
                "a cache there; name a directory outside of it"
            )
    return caches


def _named(options: Namespace, caches: str) -> str:
    if options.cache_dir:
        return f"--cache-dir {options.cache_dir}"
    if os.environ.get(VARIABLE):
        return f"{VARIABLE}={os.environ[VARIABLE]}"
    return f"the user's cache directory {caches}"
