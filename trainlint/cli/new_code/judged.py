"""What a run was about, for those who ask what of it is new."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.engine.configurations import Misconfigured
from trainlint.project import lies_in

if TYPE_CHECKING:
    from trainlint.engine.configurations import Configurations
    from trainlint.finding import Finding


@dataclass(frozen=True, slots=True)
class JudgedFiles:
    """The files of a run."""

    configurations: Configurations
    paths: Mapping[str, Path]
    """By the path that findings show, the absolute one."""
    searched: tuple[Path, ...] = ()
    """The directories that were searched for files, absolute."""
    contents: Mapping[str, bytes] = field(default_factory=dict)
    """The bytes of what is not read from the disk, by the path that findings show."""

    def path(self, shown: str) -> str:
        """The absolute path of a file, which may be one that was not judged."""
        known = self.paths.get(shown)
        return str(known) if known is not None else os.path.normpath(Path.cwd() / shown)

    def baseline_of(self, path: str) -> str | None:
        """The baseline that the configuration around an absolute path names."""
        try:
            return self.configurations.of(Path(path).parent).config.baseline
        except Misconfigured:
            return None  # its files fail

    def fails(self, finding: Finding) -> bool:
        """Whether a finding is as severe as the `fail-on` that holds for its file."""
        return finding.severity >= self.configurations.of(Path(self.path(finding.path)).parent).config.fail_on

    def codes_for(self, path: str) -> frozenset[str]:
        """The codes of the rules that were asked about a file."""
        try:
            return frozenset(rule.code for rule in self.configurations.rules_for(Path(path)))
        except Misconfigured:
            return frozenset()

    def were_searched(self, path: str) -> bool:
        """Whether a file at an absolute path would have been found."""
        return any(lies_in(path, str(directory)) for directory in self.searched)


def baselines_of(files: JudgedFiles) -> tuple[str, ...]:
    """The baselines that hold for any of the files."""
    directories: dict[Path, str] = {path.parent: str(path) for path in files.paths.values()}
    found: Sequence[str | None] = [files.baseline_of(path) for path in directories.values()]
    return tuple(dict.fromkeys(name for name in found if name is not None))
