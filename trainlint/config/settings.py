"""What a run is configured to do: plain frozen data, hashable, and picklable for worker processes."""

from __future__ import annotations

from trainlint.config.globs import matches_any
from trainlint.finding import Severity
from trainlint.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from trainlint.config.torch_range import TorchRange


@dataclass(frozen=True, slots=True)
class Config:
    """The settings that hold for the files of one directory.

    In `select`, `extend_select`, `ignore` and `per_file_ignores` rules are named in the user's words: a code, the
    prefix of one, a name, or ALL.
    """

    root: str = "."
    """The directory that `exclude` and `per_file_ignores` are relative to."""
    source: str | None = None
    """The file that the settings were read from; None where there was none."""
    select: tuple[str, ...] = ("ALL",)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[str, ...] = ()
    target_torch: TorchRange | None = None
    """The torch versions that the project targets; None where nothing says."""
    severity: tuple[tuple[str, Severity], ...] = ()
    """For each rule's code, the severity that the user gave it."""
    hot: tuple[str, ...] = ()
    """Functions that run in each training step, whatever their callers look like."""
    cold: tuple[str, ...] = ()
    """Functions that do not run in training steps."""
    preview: bool = False
    min_confidence: float = 0.7
    fail_on: Severity = Severity.ADVICE
    file_time_limit: float = 10.0
    """Seconds of processor time that one file may take; one that takes longer is a failure."""
    notes: tuple[str, ...] = ()
    """What was not read on the way to these settings, and why: sentences for `--verbose`."""

    def is_excluded(self, path: str | os.PathLike[str], *, is_directory: bool = False) -> bool:
        """Whether `exclude` covers a file or a directory; a relative path starts at the working directory."""
        return matches_any(self.exclude, self.root, path, is_directory=is_directory)

    def ignored_codes_for(self, path: str | os.PathLike[str]) -> tuple[str, ...]:
        """Which rules `per-file-ignores` silences in a file, in the words of the configuration."""
        return tuple(
            word
            for pattern, words in self.per_file_ignores
            if matches_any((pattern,), self.root, path)
            for word in words
        )


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line sets; None where it is silent and the file, or the default, holds."""

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    preview: bool | None = None
    min_confidence: float | None = None
    fail_on: Severity | None = None
