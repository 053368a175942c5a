"""What trainlint says of the files that a run or a trace is about, without running them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from trainlint.catalogue import installed_rules
from trainlint.cli.console import UsageError
from trainlint.config import ConfigError
from trainlint.engine.configurations import Configurations
from trainlint.engine.discover import Discovery, discover
from trainlint.engine.git import repository_of
from trainlint.engine.run import run
from trainlint.evidence import Judged, Line
from trainlint.finding import Report
from trainlint.installed import PackError


def findings_in(paths: Sequence[Path]) -> Report:
    """The report of `trainlint check` on some files and directories, by the project's own configuration.

    Raises UsageError where that configuration is wrong.
    """
    configurations, discovery = _discovered(paths)
    return run(discovery, configurations).report


def judged_files(paths: Sequence[Path]) -> Judged:
    """The files that `findings_in` judges, as they are now. Raises UsageError as that does."""
    if not paths:
        return Judged()
    here = Path.cwd()
    repository = repository_of(here)
    directory = here.relative_to(repository).as_posix() if repository else None
    digests = {}
    for target in _discovered(paths)[1].targets:
        try:
            digests[target.shown] = hashlib.sha256(target.path.read_bytes()).hexdigest()
        except OSError:
            continue  # nothing could be judged either
    return Judged(directory, digests)


def _discovered(paths: Sequence[Path]) -> tuple[Configurations, Discovery]:
    try:
        configurations = Configurations(installed_rules())
    except (ConfigError, PackError) as error:
        raise UsageError(str(error)) from error
    return configurations, discover(paths, configurations.excludes)


def files_at_work(script: Path | None, lines: Iterable[Line | None]) -> tuple[Path, ...]:
    """The script, and the files below the working directory in which something was seen to happen."""
    here = Path.cwd()
    seen = {Path(line.path) for line in lines if line is not None}
    own = {path for path in seen if not path.is_absolute() and (here / path).is_file()}
    return tuple(sorted(own | ({script} if script is not None and script.is_file() else set())))
