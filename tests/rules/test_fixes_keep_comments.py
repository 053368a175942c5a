"""Fixes keep the comments that stand inside what they rewrite, or are not offered."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from dataclasses import replace

import pytest

from tests.fixing.helpers import comments
from tests.rules.catalogue import STATED, all_rules, judged_source, source
from trainlint.finding import Confidence, apply_edits
from trainlint.rule import Rule

EVERYTHING = replace(STATED, preview=True, min_confidence=Confidence.UNLIKELY)
FIXING = [rule for rule in all_rules() if rule.fix_safety is not None]


def commented(text: str) -> list[str]:
    """The text with a comment behind one opening parenthesis or comma inside parentheses, once for each of them."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found, depth = [], 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        depth += (token.string in ("(", "[", "{")) - (token.string in (")", "]", "}"))
        if depth and token.type == tokenize.OP and token.string in ("(", ","):
            end = starts[token.end[0] - 1] + token.end[1]
            found.append(f"{text[:end]}  # why\n{text[end:]}")
    return found


def fixes_of(text: str, rule: type[Rule]) -> list[str]:
    """What each fix of a rule makes of a text."""
    judged = judged_source(source(text), (rule(),), EVERYTHING)
    assert not judged.failures
    return [apply_edits(text, finding.fix.edits) for finding in judged.findings if finding.fix]


@pytest.mark.parametrize("rule", FIXING, ids=lambda rule: rule.code)
def test_no_comment_is_lost(rule: type[Rule]) -> None:
    for text in commented(rule.manual.example):
        for fixed in fixes_of(text, rule):
            ast.parse(fixed)
            assert not Counter(comments(text)) - Counter(comments(fixed)), text


def test_most_rules_with_fixes_of_are_tried() -> None:
    """The test above would prove nothing if the comments hid the findings."""
    tried = [rule.code for rule in FIXING if any(fixes_of(text, rule) for text in commented(rule.manual.example))]
    assert "TRN205" in tried
    assert len(tried) > len(FIXING) / 2
