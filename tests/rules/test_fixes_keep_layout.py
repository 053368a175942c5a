"""Fixes of every rule in every layout of its page's example: what a file looked like, it looks like afterwards."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.fixing.helpers import comments
from tests.rules.catalogue import STATED, all_rules, judged_source
from trainlint.finding import Confidence, Edit, Finding, apply_edits
from trainlint.fixing import FixResult, fix_to_fixpoint
from trainlint.rule import Rule
from trainlint.source import SourceFile, source_from_text

EVERYTHING = replace(STATED, preview=True, min_confidence=Confidence.UNLIKELY)
FIXING = [rule for rule in all_rules() if rule.fix_safety is not None and "import" in rule.manual.example]


def calls(text: str) -> list[ast.Call]:
    """The calls with arguments that stand on one line, the inner ones of others left out."""
    found: list[ast.Call] = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or node.lineno != node.end_lineno or not (node.args or node.keywords):
            continue
        if not any(node.lineno == other.lineno for other in found):
            found.append(node)
    return found


def opened(text: str, *, aligned: bool) -> str:
    """The text with a line for each argument of its calls, below the first one or indented once more, as black does."""
    source = source_from_text("train.py", text)
    edits: list[Edit] = []
    for call in calls(text):
        given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
        starts = sorted(source.offset(item.lineno, item.col_offset) for item in given)
        stop = source.offset(call.end_lineno or 0, call.end_col_offset or 0) - 1
        opening = text.index("(", source.offset(call.func.end_lineno or 0, call.func.end_col_offset or 0))
        one_generator = len(given) == 1 and isinstance(given[0], ast.GeneratorExp)
        plain = all(text[start - 2 : start] == ", " for start in starts[1:]) and opening + 1 == starts[0]
        if one_generator or not plain or isinstance(given[-1], ast.Starred) or "#" in text[opening:stop]:
            continue
        line = source.line(call.lineno)
        margin = line[: len(line) - len(line.lstrip())]
        column = opening + 1 - source.line_starts[call.lineno - 1]
        inner = f"\n{' ' * column}" if aligned else f"\n{margin}    "
        edits += [Edit(start - 1, start, inner) for start in starts[1:]]
        if not aligned:
            edits += [Edit(starts[0], starts[0], inner), Edit(stop, stop, f",\n{margin}")]
    return apply_edits(text, sorted(edits))


def remarked(text: str) -> str:
    """The text with a comment behind each line that ends a statement or follows a comma or an opening bracket."""
    lines = text.split("\n")
    ends = {node.end_lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)}
    open_ends = {number for number, line in enumerate(lines, 1) if line.endswith((",", "(", "[", "{"))}
    strings = {
        number
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.lineno != node.end_lineno
        for number in range(node.lineno, node.end_lineno or 0)
    }
    return "\n".join(
        f"{line}  # remark {number}" if number in (ends | open_ends) - strings and "#" not in line else line
        for number, line in enumerate(lines, 1)
    )


def odd(text: str) -> str:
    """The text with what formatters would change: tabs, single quotes, no line end, line ends of Windows."""
    quoted = text.replace('"', "'") if "'" not in text else text
    return quoted.replace("    ", "\t").rstrip("\n").replace("\n", "\r\n")


LAYOUTS: dict[str, Callable[[str], str]] = {
    "arguments below each other": lambda text: opened(text, aligned=True),
    "comments": remarked,
    "an argument a line, with comments": lambda text: remarked(opened(text, aligned=False)),
    "tabs and line ends of Windows": odd,
}
"""As it is, each example is fixed in test_pages.py."""


def fixed(source: SourceFile, rule: type[Rule]) -> FixResult:
    """A text after all fixes of a rule."""
    assert rule.fix_safety is not None

    def judged(text: SourceFile) -> tuple[Finding, ...]:
        return judged_source(text, (rule(),), EVERYTHING).findings

    return fix_to_fixpoint(source, judged, rule.fix_safety)


def assert_well_fixed(text: str, rule: type[Rule]) -> bool:
    """What must hold for every text; whether anything was fixed."""
    source = source_from_text("train.py", text)
    result = fixed(source, rule)
    after = result.source.text
    ast.parse(after)
    assert result.unapplied == ()
    assert fixed(result.source, rule).applied == (), "a second run changes something"
    assert not Counter(comments(text.replace("\r\n", "\n"))) - Counter(comments(after.replace("\r\n", "\n")))
    assert ("\r\n" in after) == ("\r\n" in text)
    assert after.count("\n") == after.count("\r\n") or "\r\n" not in text
    if text.count("'") > text.count('"'):
        assert after.count('"') <= text.count('"'), "other quotes than those of the file"
    return bool(result.applied)


@pytest.mark.parametrize("rule", FIXING, ids=lambda rule: rule.code)
def test_a_fix_keeps_the_layout(rule: type[Rule]) -> None:
    for layout in LAYOUTS.values():
        text = layout(rule.manual.example)
        ast.parse(text)
        assert_well_fixed(text, rule)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_most_examples_are_fixed_in_each_layout(layout: str) -> None:
    """The test above would prove nothing if a layout hid the findings."""
    texts = [(rule, source_from_text("x.py", LAYOUTS[layout](rule.manual.example))) for rule in FIXING[::4]]
    assert sum(bool(fixed(text, rule).applied) for rule, text in texts) > len(texts) / 2
