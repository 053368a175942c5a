"""What the rules offer to rewrite in a text, whatever their confidence."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from tests.rules.catalogue import STATED, all_rules, judged_source, source
from trainlint.finding import Confidence, Finding, Safety
from trainlint.fixing import apply_fixes
from trainlint.rule import Rule

_ALL = replace(STATED, min_confidence=Confidence.UNLIKELY, preview=True)
"""With a version: what not all versions in use have is UNSAFE where the project names none."""


@cache
def _rules() -> tuple[Rule, ...]:
    return tuple(rule() for rule in all_rules())


def fixes(text: str, *codes: str) -> dict[str, list[Finding]]:
    """The findings with a fix, of some rules or all, by code."""
    chosen = [rule for rule in _rules() if not codes or rule.code in codes]
    verdicts = judged_source(source(text), chosen, _ALL)
    assert not verdicts.failures
    found: dict[str, list[Finding]] = {}
    for finding in verdicts.findings:
        if finding.fix is not None:
            found.setdefault(finding.code, []).append(finding)
    return found


def safe(text: str, *codes: str) -> set[str]:
    """The codes of the rules that offer a SAFE fix."""
    found = fixes(text, *codes)
    return {code for code, items in found.items() if any(item.fix and item.fix.safety is Safety.SAFE for item in items)}


def fixed(text: str, code: str, limit: Safety = Safety.SAFE, *, also: tuple[str, ...] = ()) -> str:
    """The text after the fixes of one rule. `also` are rules that must have run for it to say something."""
    return apply_fixes(source(text), fixes(text, code, *also).get(code, []), limit).text
