"""The pages of the rules that the engine applies itself."""

from __future__ import annotations

import ast

import pytest

from tests.toy_rules import RULES
from trainlint.rule import BadRule, EngineRule, Rule, Triggers
from trainlint.source import source_from_text
from trainlint.suppress import suppress
from trainlint_rules.itself.unknown_code_in_ignore import UnknownCodeInIgnore
from trainlint_rules.itself.unreadable_file import UnreadableFile


def test_the_example_of_an_unreadable_file_is_no_python_and_its_cure_is() -> None:
    with pytest.raises(SyntaxError):
        ast.parse(UnreadableFile.manual.example)
    assert ast.parse(UnreadableFile.manual.cure).body


def test_the_example_of_an_unknown_code_is_found_and_its_cure_is_clean() -> None:
    def codes(text: str) -> list[str]:
        source = source_from_text("train.py", text)
        return [finding.code for finding in suppress(source, [], RULES, known=RULES).findings]

    assert codes(UnknownCodeInIgnore.manual.example) == ["TRN003"]
    assert codes(UnknownCodeInIgnore.manual.cure) == []


def test_an_engine_rule_wants_to_see_no_place() -> None:
    assert issubclass(UnreadableFile, EngineRule)
    assert UnreadableFile.triggers == Triggers()


def test_an_engine_rule_needs_a_page_like_any_other() -> None:
    with pytest.raises(BadRule, match="it has no docstring, which is its page"):

        class NoPage(EngineRule):
            code = "TRN009"
            name = "no-page"
            severity = UnreadableFile.severity


def test_a_base_for_rules_is_none_itself() -> None:
    class Base(Rule, base=True):
        """Not a page."""

    assert not hasattr(Base, "manual")
