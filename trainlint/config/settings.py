"""The configuration table: each key of a configuration file is one field of `Config`, described in its row.

Reading and checking files, the options of `trainlint check`, `--show-settings`, the keys of the cache, the JSON Schema
and docs/configuration.md are all made from these rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from trainlint.config.globs import matches_any
from trainlint.config.keys import Invalidates, Key, Option, key, with_keys
from trainlint.config.kinds import (
    BUDGET,
    FILE,
    FUNCTIONS,
    GLOBS,
    LEVEL,
    LIMITS,
    RULES,
    RULES_BY_GLOB,
    SECONDS,
    SEVERITY,
    SEVERITY_BY_RULE,
    SWITCH,
    TORCH_RANGE,
)
from trainlint.finding import Confidence, Severity

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Any, ClassVar

    from trainlint.config.torch_range import TorchRange

OF_RULES = "rules (codes such as TRN201, prefixes such as TRN2, names, or ALL)"
OF_FIXES = "fixes"
OF_NEW = "only what is new"
OF_EXIT_CODE = "exit code"
OF_FILES = "files and configuration"
"""Headings of `trainlint check --help`."""
CONFIRMED = "confirmed"
"""What `--fail-on` may be besides a severity."""


@dataclass(frozen=True, slots=True)
@with_keys
class Config:
    """The settings that hold for the files of one directory: plain frozen data for worker processes."""

    if TYPE_CHECKING:  # `ClassVar` is not imported when the program runs, and a dataclass would make this a field
        keys: ClassVar[tuple[Key, ...]]
        """The rows below."""

    root: str = "."
    """The directory that `exclude` and `per_file_ignores` are relative to."""
    source: str | None = None
    """The file that the settings were read from; None where there was none."""
    notes: tuple[str, ...] = ()
    """What was not read on the way to these settings, and why: sentences for `--verbose`."""

    select: tuple[str, ...] = key(
        ("ALL",),
        RULES,
        "run these rules, and no others",
        example=["TRN2", "TRN301"],
        invalidates=Invalidates.NOTHING,
        option=Option(OF_RULES, "RULES"),
        details="Where `select` and `ignore` both name a rule, the more exact word decides, and `ignore` where both "
        'are as exact: `select = ["TRN201"]` with `ignore = ["TRN2"]` runs TRN201. `ALL` and prefixes leave out '
        "[preview rules](rules/README.md) unless `preview` is true.",
    )
    extend_select: tuple[str, ...] = key(
        (),
        RULES,
        "run these rules as well",
        example=["TRN105"],
        invalidates=Invalidates.NOTHING,
        option=Option(OF_RULES, "RULES", adds=True),
        details="It adds to `select`, whose default stays. `--select` on the command line drops it.",
    )
    ignore: tuple[str, ...] = key(
        (),
        RULES,
        "do not run these rules",
        example=["TRN204", "item-in-training-step"],
        invalidates=Invalidates.NOTHING,
        option=Option(OF_RULES, "RULES", adds=True),
    )
    preview: bool = key(
        False,
        SWITCH,
        "run preview rules, too, which are not yet proved precise",
        example=True,
        invalidates=Invalidates.NOTHING,
        option=Option(OF_RULES),
        details="A preview rule that `select` names by its full code or name runs without this.",
    )
    min_confidence: Confidence = key(
        Confidence.LIKELY,
        LEVEL,
        "show findings that are at least this likely to be right (certain, likely, possible, unlikely)",
        example="possible",
        invalidates=Invalidates.FINDINGS,
        option=Option(OF_RULES, "LEVEL"),
        details="[How often findings are right](accuracy.md) is measured.",
    )
    severity: tuple[tuple[str, Severity], ...] = key(
        (),
        SEVERITY_BY_RULE,
        "give rules another severity than their own",
        example={"TRN101": "advice", "TRN2": "error"},
        invalidates=Invalidates.FINDINGS,
        details="Where several words name a rule, the most exact decides.",
    )
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = key(
        (),
        RULES_BY_GLOB,
        "do not run these rules on files that match a pattern",
        example={"benchmarks/*": ["TRN2"], "tests/**": ["ALL"]},
        invalidates=Invalidates.NOTHING,
        details="[Patterns](files.md) are relative to the directory of the configuration file.",
    )
    fixable: tuple[str, ...] = key(
        ("ALL",),
        RULES,
        "fix findings of these rules, and of no others",
        example=["TRN8", "TRN101"],
        invalidates=Invalidates.FINDINGS,
        option=Option(OF_FIXES, "RULES"),
        details="All rules report; what is not fixable is shown without its fix. Where `fixable` and `unfixable` both "
        "name a rule, the more exact word decides, and `unfixable` where both are as exact.",
    )
    unfixable: tuple[str, ...] = key(
        (),
        RULES,
        "do not fix findings of these rules",
        example=["TRN205"],
        invalidates=Invalidates.FINDINGS,
        option=Option(OF_FIXES, "RULES", adds=True),
    )
    baseline: str | None = key(
        None,
        FILE,
        "report only findings that this file does not list; `trainlint baseline` writes it",
        example=".trainlint-baseline.json",
        invalidates=Invalidates.NOTHING,
        option=Option(OF_NEW, "FILE"),
        details="The path is relative to the directory of the configuration file, and stays within the project. "
        "[Adopting trainlint](adopting.md) says how findings are known again.",
    )
    fail_on: Severity = key(
        Severity.ADVICE,
        SEVERITY,
        "exit with 1 only for findings of at least this severity (advice, warning, error)",
        example="warning",
        invalidates=Invalidates.NOTHING,
        option=Option(
            OF_EXIT_CODE,
            "LEVEL",
            also=CONFIRMED,
            also_help="; confirmed: only for what the evidence has confirmed",
        ),
    )
    exclude: tuple[str, ...] = key(
        (),
        GLOBS,
        "leave out files and directories that match one of these patterns",
        example=["third_party", "*_pb2.py"],
        invalidates=Invalidates.NOTHING,
        details="It adds to what `.gitignore` files leave out. A path that the command line names is judged all the "
        "same, unless `force-exclude` is set. `--exclude PATTERNS` on the command line leaves out more: path patterns "
        "separated by commas, relative to the working directory. `*.ipynb` leaves out all [notebooks](notebooks.md). "
        "[Which files are judged](files.md) describes the patterns.",
    )
    force_exclude: bool = key(
        False,
        SWITCH,
        "apply excludes to paths that are named, too",
        example=True,
        invalidates=Invalidates.NOTHING,
        option=Option(OF_FILES),
        details="pre-commit and editors name each file, also those that `exclude` is to leave out.",
    )
    target_torch: TorchRange | None = key(
        None,
        TORCH_RANGE,
        "the PyTorch versions that the project supports",
        example=">=2.4",
        invalidates=Invalidates.SUMMARIES,
        details="A fix that writes a name which PyTorch 1.0 lacks is safe only where the oldest of these versions has "
        "it. Otherwise, or where the oldest is not known, it is unsafe and its title names the version that it needs; "
        "where no version has it, there is none. Old names are default findings only where the oldest version warns "
        "of them, or where one of the versions lacks them; others are shown with `--min-confidence possible`.\n\n"
        "Without this key, these files say it, in the directory and in those above it up to the repository's: "
        "pyproject.toml, setup.cfg, setup.py, requirements files (also in `requirements`), conda environments, "
        "Dockerfiles (also in `docker`), and READMEs: what they install, an image, and sentences such as 'tested with "
        "PyTorch 1.8'. They are read line by line, as text. Outside of a repository, the nearest directory counts "
        "that says something or has a project file. Where several disagree, the oldest counts. An upper bound alone "
        "counts, too. `--show-settings` names the file and line. Files that are larger than a bound or lead out of "
        "the project are not read (`--verbose` names them).",
    )
    hot: tuple[str, ...] = key(
        (),
        FUNCTIONS,
        "functions that run in each training step, where trainlint cannot see it",
        example=["update_policy", "Trainer.step"],
        invalidates=Invalidates.FINDINGS,
    )
    cold: tuple[str, ...] = key(
        (),
        FUNCTIONS,
        "functions that do not run in training steps, though it looks as if they do",
        example=["log_images"],
        invalidates=Invalidates.FINDINGS,
    )
    budget: tuple[tuple[str, float], ...] = key(
        (),
        BUDGET,
        "what a training step may do at most; `trainlint probe --budget` and tests fail for more",
        example={"syncs": 0, "pageable-copies": 0, "data-wait-percent": 5},
        invalidates=Invalidates.NOTHING,
        details="The limits, each a number per training step unless [Budgets](budgets.md#what-is-counted) says "
        "otherwise:\n\n"
        + "\n".join(f"- `{name}`: {what}" for name, what in LIMITS.items())
        + "\n\nWhat has no limit is not judged. `trainlint check` does not read this table. "
        "[Budgets](budgets.md) shows a CI job and tests.",
    )
    file_time_limit: float = key(
        10.0,
        SECONDS,
        "give up a file that takes more processor time than this, in seconds",
        example=30,
        invalidates=Invalidates.NOTHING,
        details="Such a file is a failure (exit code 2); the others are judged all the same.",
    )

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


REMOVED = {
    "cache-dir": "a repository cannot say where the cache lies: use --cache-dir or TRAINLINT_CACHE_DIR",
    "rules": "rules no longer have options: delete the table (`device-memory` of TRN509 is now always 80 GB)",
}
"""Keys of earlier versions, with what to do instead."""


class Overrides(dict[str, "Any"]):
    """What the command line sets, by the fields of `Config`; of those that are missing it says nothing."""
