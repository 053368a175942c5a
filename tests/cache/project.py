"""Runs over a small linked project, with and without a cache."""

from __future__ import annotations

import os
from pathlib import Path

from tests.engine.linked_project import write_project
from trainlint.cache.cache import Cache
from trainlint.catalogue import installed_rules
from trainlint.config import Overrides
from trainlint.engine.configurations import Configurations
from trainlint.engine.discover import discover
from trainlint.engine.rewriting import Fixing
from trainlint.engine.run import Run, run
from trainlint.installation.fingerprint import fingerprint

CACHE = Path("of-the-project")

__all__ = ["CACHE", "age", "opened", "run_over", "write_project"]


def opened(directory: Path = CACHE) -> Cache:
    """The cache of the working directory, as a run of the program opens it."""
    path = Path.cwd().parent.joinpath("caches") / directory
    return Cache(lambda: path, fingerprint())


def run_over(
    *paths: str,
    cache: Cache | None = None,
    fixing: Fixing | None = None,
    overrides: Overrides | None = None,
    workers: int = 1,
) -> Run:
    """A run over paths below the working directory."""
    configurations = Configurations(installed_rules(), overrides)
    discovery = discover([Path(path) for path in paths or (".",)], configurations.excludes)
    return run(discovery, configurations, fixing=fixing, workers=workers, cache=cache)


def age(directory: Path = Path()) -> None:
    """Let all files below a directory be an hour old, so that nothing about them is racy."""
    for path in directory.rglob("*.py"):
        then = path.stat().st_mtime_ns - 3_600_000_000_000
        os.utime(path, ns=(then, then))
