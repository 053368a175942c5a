"""What comments, docstrings and sentences say is no reason for a rule to stay silent."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import all_rules, judged
from trainlint.analysis.tables import signs
from trainlint.analysis.tables.signs import Sign
from trainlint.rule import Rule

TOPICS = ("compute", "attention", "data", "distributed", "memory", "optimizer", "sync")
RULES = [rule for rule in all_rules() if rule.__module__.split(".")[1] in TOPICS]
NAMES = sorted(name for sign in vars(signs).values() if isinstance(sign, Sign) for names in sign for name in names)
TOLD = " ".join([*NAMES, "volatile=True", "loss.data[0]", "1 + self.weight", "model.training = False", "@register()"])


def found(rule: type[Rule], text: str) -> int:
    return sum(item.code == rule.code for item in judged(text, rule).findings)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_finds_its_example_whatever_a_comment_says(rule: type[Rule]) -> None:
    example = rule.manual.example
    told = f'"""{TOLD}"""\n# {TOLD}\n{example}\nprint("{TOLD}")\n'
    assert found(rule, told) == found(rule, example) > 0
