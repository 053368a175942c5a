"""A rule's page is its first test: the Example is found, Use instead is clean, and the fix leads from one to the other.

pytest tests/rules/test_pages.py -k TRN304
"""

from __future__ import annotations

import ast
import re

import pytest

from tests.rules.catalogue import (
    IDIOMS,
    MODULES,
    PACKAGES,
    all_rules,
    judged,
    judged_source,
    rules_in,
    source,
    stated_for,
)
from trainlint.finding import Finding
from trainlint.fixing import FixResult, fix_to_fixpoint
from trainlint.rule import EngineRule, Rule
from trainlint.source import SourceFile

RULES = all_rules()
BEFORE_JUDGING = {"TRN001"}
"""Engine rules about text that is no Python: their Example gives a failure, not a finding."""
JUDGED = [rule for rule in RULES if rule.code not in BEFORE_JUDGING and not rule.of_run]
"""What only a run shows is found in no text: `tests/probe/test_runtime_rules.py` holds those pages to the probe."""
OFFERING_FIXES = [rule for rule in JUDGED if rule.fix_safety is not None]

_ONE_SENTENCE = re.compile(r"[^.\s].*[^.\s]$", re.DOTALL)
_LINK = re.compile(r"https?://\S+")
_CODE = re.compile(r"\b[A-Z]{2,8}\d{3}\b")


def by_code(rules: list[type[Rule]] | tuple[type[Rule], ...]) -> pytest.MarkDecorator:
    """One test for each rule, with its code as its name."""
    return pytest.mark.parametrize("rule", rules, ids=[rule.code for rule in rules])


def shown(findings: tuple[Finding, ...]) -> list[str]:
    """Findings in a form that explains a failed test."""
    return [f"line {item.span.start_line}: {item.code} ({item.confidence}) {item.message}" for item in findings]


def fixed(rule: type[Rule], text: str) -> FixResult:
    """A text after all fixes of one rule, at the level that the rule declares."""
    assert rule.fix_safety is not None
    # What removes an unused ignore comment must know every code that a comment may name.
    judges = tuple(item() for item in RULES) if issubclass(rule, EngineRule) else (rule(),)
    config = stated_for(rule)

    def judged_by_rule(text: SourceFile) -> list[Finding]:
        return [item for item in judged_source(text, judges, config).findings if item.code == rule.code]

    return fix_to_fixpoint(source(text), judged_by_rule, rule.fix_safety)


def test_every_module_holds_one_rule_and_has_its_name() -> None:
    named = {module: [rule.name for rule in rules_in(module)] for module in MODULES}
    assert named == {module: [module.rpartition(".")[2].replace("_", "-")] for module in MODULES}
    assert {module.rpartition(".")[0] for module in MODULES} <= set(PACKAGES)


def test_recognisers_hold_no_rule() -> None:
    assert [module for module in IDIOMS if rules_in(module)] == []


def test_no_two_rules_share_a_code_or_a_name() -> None:
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)


@by_code(RULES)
def test_the_page_reads_well(rule: type[Rule]) -> None:
    manual = rule.manual
    assert 10 < len(manual.summary) <= 100, "the summary line is one short sentence"
    assert "\n" not in manual.summary
    assert _ONE_SENTENCE.fullmatch(manual.section("Why").rstrip("."))
    assert manual.example.strip(), "## Example holds no ```python block"
    assert manual.cure.strip(), "## Use instead holds no ```python block"
    assert manual.example != manual.cure
    assert _LINK.search(manual.section("References")), "## References names no page on the web"
    ast.parse(manual.cure)
    if rule.of_run or not issubclass(rule, EngineRule):
        assert len(manual.section("Gain")) > 20, "what is to be gained, and what makes it nothing"


@by_code(JUDGED)
def test_the_example_is_found(rule: type[Rule]) -> None:
    verdicts = judged(rule.manual.example, *RULES, config=stated_for(rule))
    assert not verdicts.failures
    own = [item for item in verdicts.findings if item.code == rule.code]
    assert own, f"the rules found only {shown(verdicts.findings)}"
    assert all(item.message and not item.message.endswith(".") and "\n" not in item.message for item in own)
    assert rule.fix_safety is not None or not any(item.fix for item in own), "a rule that declares no fix offers none"


@by_code([rule for rule in RULES if rule.code in BEFORE_JUDGING])
def test_the_example_of_an_unreadable_file_is_a_failure_of_its_rule(rule: type[Rule]) -> None:
    assert [item.rule for item in judged(rule.manual.example).failures] == [rule.code]
    assert judged(rule.manual.cure).failures == ()


@by_code(RULES)
def test_what_to_use_instead_is_clean(rule: type[Rule]) -> None:
    """No rule of the default set may complain of it, but one that the section itself names."""
    verdicts = judged(rule.manual.cure)
    prose = re.sub(r"```.*?```", "", rule.manual.section("Use instead"), flags=re.DOTALL)
    admitted = set(_CODE.findall(prose)) - {rule.code}
    assert not verdicts.failures
    assert shown(tuple(item for item in verdicts.findings if item.code not in admitted)) == []
    assert judged(rule.manual.cure, rule).findings == ()


@by_code(OFFERING_FIXES)
def test_fixing_the_example_gives_what_to_use_instead(rule: type[Rule]) -> None:
    once = fixed(rule, rule.manual.example)
    assert once.unapplied == ()
    assert once.source.text == rule.manual.cure
    assert {item.fix.safety for item in once.applied if item.fix} == {rule.fix_safety}
    assert [item for item in once.remaining if item.fix is not None] == []
    assert fixed(rule, once.source.text).applied == (), "a second run changes something"
