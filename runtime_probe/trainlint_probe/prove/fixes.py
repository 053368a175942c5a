"""What trainlint's own fixes would make of the user's files, without touching them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from trainlint.catalogue import installed_rules
from trainlint.cli.console import UsageError
from trainlint.config import Overrides
from trainlint.engine.discover import discover
from trainlint.engine.rewriting import Fixing
from trainlint.engine.run import run
from trainlint.finding import Safety
from trainlint.naming import rules_called, unknown_rule
from trainlint_probe.judgement.static import configured

ALL = "all"
"""In place of a rule: every rule that has a fix."""


@dataclass(frozen=True, slots=True)
class Fixes:
    """Fixes that are tried together."""

    codes: Mapping[str, int]
    """The rules, and how many findings of each have a fix."""
    edits: Mapping[str, bytes]
    """By the real path of a file: what is to stand in it."""


def check_named(words: Sequence[str]) -> None:
    """Raises UsageError where a word stands for no rule: before a training runs for minutes, and not after."""
    rules = installed_rules()
    for word in words:
        if word != ALL and not rules_called(word, rules):
            raise UsageError(f"--fixes: {unknown_rule(word, rules)}")


def fixes_of(words: Sequence[str], paths: Sequence[Path]) -> Fixes:
    """What the rules that the user means would make of files: those that are named, though the configuration may leave
    them out, with fixes of any safety; without any, the safe fixes of all.

    Fixing goes on until no finding has a fix, as `--fix` does. Raises UsageError where the configuration is wrong.
    """
    limit = Safety.UNSAFE if words else Safety.SAFE
    everything = not words or ALL in words
    configurations = configured(Overrides() if everything else Overrides(select=tuple(words), ignore=(), preview=True))
    discovery = discover(paths, configurations.excludes)
    found = run(discovery, configurations).report.findings
    fixed = run(discovery, configurations, fixing=Fixing(limit, write=False))
    edits = {str(Path(each.before.path).resolve()): each.contents[1] for each in fixed.rewrites}
    return Fixes(Counter(each.code for each in found if each.fix and each.fix.safety <= limit), edits)
