"""What trainlint says of the files that a run or a trace is about, without running them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from trainlint.catalogue import installed_rules
from trainlint.cli.console import UsageError
from trainlint.config import ConfigError, Overrides
from trainlint.engine.configurations import Configurations
from trainlint.engine.discover import Discovery, discover
from trainlint.engine.git import repository_of
from trainlint.engine.run import run
from trainlint.evidence import Judged, Line
from trainlint.finding import Report
from trainlint.installed import PackError
from trainlint.records import dataclass


@dataclass(frozen=True, slots=True)
class Static:
    """What `trainlint check` says of some files, and which these are."""

    report: Report
    judged: Judged


def judge_files(paths: Sequence[Path]) -> Static:
    """Judge files and directories by the project's own configuration. Without any path, nothing is judged.

    Raises UsageError where that configuration is wrong.
    """
    if not paths:
        return Static(Report((), (), 0), Judged())
    configurations = configured()
    discovery = discover(paths, configurations.excludes)
    return Static(run(discovery, configurations).report, _judged(discovery))


def configured(overrides: Overrides | None = None) -> Configurations:
    """The project's configuration. Raises UsageError where it is wrong."""
    try:
        return Configurations(installed_rules(), overrides or Overrides())
    except (ConfigError, PackError) as error:
        raise UsageError(str(error)) from error


def _judged(discovery: Discovery) -> Judged:
    """The files of a discovery, as they are now."""
    here = Path.cwd()
    repository = repository_of(here)
    directory = here.relative_to(repository).as_posix() if repository else None
    digests = {}
    for target in discovery.targets:
        try:
            digests[target.shown] = hashlib.sha256(target.path.read_bytes()).hexdigest()
        except OSError:
            continue  # nothing could be judged either
    return Judged(directory, digests)


def files_at_work(script: Path | None, lines: Iterable[Line | None]) -> tuple[Path, ...]:
    """The script, and the files below the working directory in which something was seen to happen."""
    here = Path.cwd()
    seen = {Path(line.path) for line in lines if line is not None}
    own = {path for path in seen if not path.is_absolute() and (here / path).is_file()}
    return tuple(sorted(own | ({script} if script is not None and script.is_file() else set())))
