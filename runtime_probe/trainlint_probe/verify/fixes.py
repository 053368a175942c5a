"""What trainlint's own fixes of one rule would make of the user's files, without touching them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trainlint.catalogue import installed_rules
from trainlint.cli.console import UsageError
from trainlint.config import Overrides
from trainlint.engine.discover import discover
from trainlint.engine.rewriting import Fixing
from trainlint.engine.run import run
from trainlint.finding import Finding, Safety
from trainlint.naming import rules_called, unknown_rule
from trainlint_probe.judgement.static import configured
from trainlint_probe.verify.order import Place

ALL = "all"
"""In place of a rule: every rule that has a fix for anything in these files, one after the other."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What is to stand in a file."""

    path: str
    """The real path."""
    shown: str
    """As findings show it: from the working directory on."""
    text: bytes


@dataclass(frozen=True, slots=True)
class Proposal:
    """The fixes of one rule in some files, which are tried together."""

    code: str
    name: str
    safety: Safety
    """That of the least safe of them."""
    fixes: int
    edits: tuple[Edit, ...]
    places: tuple[Place, ...] = ()
    """Where the findings are."""


def check_named(words: Sequence[str]) -> None:
    """Raises UsageError where a word stands for no rule: before a training runs for minutes, and not after."""
    rules = installed_rules()
    for word in words:
        if word != ALL and not rules_called(word, rules):
            raise UsageError(f"--verify: {unknown_rule(word, rules)}")


def proposals(word: str, paths: Sequence[Path]) -> tuple[Proposal, ...]:
    """What the rules that the user means would make of files, in the order of their codes.

    `word` is a code, the prefix of one, a name, or `ALL`. A rule that is named is asked though the project's
    configuration may leave it out. Empty where no finding has a fix. Raises UsageError where the configuration is wrong
    or no rule is meant.
    """
    named = Overrides() if word == ALL else Overrides(select=(word,), ignore=(), preview=True)
    found = [finding for finding in _findings(paths, named) if finding.fix and not _is_about_ignores(finding)]
    codes = sorted({finding.code for finding in found})
    return tuple(_proposal([finding for finding in found if finding.code == code], paths) for code in codes)


def _proposal(findings: Sequence[Finding], paths: Sequence[Path]) -> Proposal:
    """What the fixes of one rule come to. Fixing goes on until no finding has a fix, as `--fix` does."""
    code = findings[0].code
    configurations = configured(Overrides(select=(code,), ignore=(), preview=True))
    fixed = run(discover(paths, configurations.excludes), configurations, fixing=Fixing(Safety.UNSAFE, write=False))
    edits = tuple(
        Edit(str(Path(source.path).resolve()), source.path, rewrite.contents[1])
        for rewrite in fixed.rewrites
        for source in [rewrite.before]
    )
    safety = max(finding.fix.safety for finding in findings if finding.fix)
    places = tuple(
        Place(str(Path(finding.path).resolve()), finding.span.start_line, finding.span.end_line) for finding in findings
    )
    return Proposal(code, findings[0].name, safety, len(findings), edits, places)


def _findings(paths: Sequence[Path], overrides: Overrides) -> tuple[Finding, ...]:
    configurations = configured(overrides)
    return run(discover(paths, configurations.excludes), configurations).report.findings


def _is_about_ignores(finding: Finding) -> bool:
    """Whether a finding is about trainlint's own comments, which change nothing that runs."""
    return finding.code.startswith("TRN0")
