"""Which cache a command uses, if any."""

from __future__ import annotations

import os
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from trainlint.cache.cache import Cache
    from trainlint.engine.configurations import Configurations

VARIABLE = "TRAINLINT_CACHE_DIR"
"""The environment variable that names the directory of the cache."""


def cache_for(options: Namespace, configurations: Configurations) -> Cache | None:
    """The cache of the project that the working directory belongs to; None with --no-cache."""
    if options.no_cache:
        return None
    from trainlint.cache.cache import Cache
    from trainlint.catalogue import fingerprint_of_rules

    return Cache(directory_of_cache(options, configurations), fingerprint_of_rules())


def directory_of_cache(options: Namespace, configurations: Configurations) -> Path:
    """Where the cache lies: as the command line says, or the environment, or the configuration, or in the project."""
    from trainlint.cache.place import NAME
    from trainlint.engine.configurations import Misconfigured
    from trainlint.engine.projects import project_of

    here = Path.cwd()
    named = options.cache_dir or os.environ.get(VARIABLE)
    if named:
        return here / named
    try:
        config = configurations.apart().of(here).config  # nothing may be judged here
    except Misconfigured:  # whoever judges the files there says so
        config = None
    if config is not None and config.cache_dir is not None:
        return Path(config.root, config.cache_dir)
    return (project_of(here) or here) / NAME
