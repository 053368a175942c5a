"""What only a run shows has a page each, each such page is about what the probe judges, and each rule that a run
confirms says by what.

pytest tests/probe/test_runtime_rules.py
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.rules.catalogue import all_rules
from trainlint.evidence.interval import Interval
from trainlint.evidence.verdicts import State
from trainlint.rule import Rule
from trainlint.symptoms import Symptom
from trainlint_probe import traces
from trainlint_probe.judgement.runtime_rules import as_verdicts
from trainlint_probe.traces.judge import RuntimeFinding

PROBE = Path(traces.__file__).parents[1]
RUNTIME_RULES = [rule for rule in all_rules() if rule.of_run]
CONFIRMED = [rule for rule in all_rules() if rule.confirmed_by]
JUDGING = re.compile(r"-> (?:list|Iterator)\[RuntimeFinding\]|-> RuntimeFinding:")
"""A module that makes findings has functions which return them."""
NAME = re.compile(r"[a-z]+(?:-[a-z]+)+")


def judged_names() -> dict[str, str]:
    """Each name that the probe's judges can give a finding → the module in which it is written out."""
    names: dict[str, str] = {}
    for path in sorted(PROBE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not JUDGING.search(text):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAME.fullmatch(node.value):
                names[node.value] = path.relative_to(PROBE).as_posix()
    return names


def test_the_judges_are_found() -> None:
    assert {"judgement/judged_run.py", "traces/judge.py"} <= set(judged_names().values())


def test_what_the_probe_judges_has_a_page_and_each_page_is_judged() -> None:
    assert set(judged_names()) == {rule.name for rule in RUNTIME_RULES}


@pytest.mark.parametrize("rule", RUNTIME_RULES, ids=[rule.code for rule in RUNTIME_RULES])
def test_a_finding_of_the_probe_carries_the_code_of_its_page(rule: type[Rule]) -> None:
    found = RuntimeFinding(rule.name, "Seen with numbers.", Interval(2.0, 3.0), Interval(0.2, 0.3))
    [verdict] = as_verdicts([found], where="train.py")
    assert (verdict.code, verdict.name, verdict.state, verdict.new) == (rule.code, rule.name, State.CONFIRMED, True)


def test_a_name_without_a_page_is_refused() -> None:
    with pytest.raises(KeyError):
        as_verdicts([RuntimeFinding("no-such-rule", "Seen.", None, None)], where="train.py")


def test_codes_of_the_probe_are_a_pack_of_letters_of_their_own() -> None:
    """So that `--select TRN` means what `trainlint check` can find."""
    assert [rule.code for rule in RUNTIME_RULES if not re.fullmatch(r"TRNP\d{3}", rule.code)] == []
    assert [rule.code for rule in all_rules() if rule.code.startswith("TRNP") and not rule.of_run] == []


def test_a_rule_that_a_run_confirms_says_what_it_shows() -> None:
    for rule in CONFIRMED:
        assert rule.manual.section("Confirmed by").startswith("`trainlint probe` "), rule.code


def test_no_other_rule_promises_that_a_run_confirms_it() -> None:
    promising = [rule.code for rule in all_rules() if "`trainlint probe`" in rule.manual.section("Confirmed by")]
    assert promising == [rule.code for rule in CONFIRMED]


def test_what_rules_are_confirmed_by_is_what_the_probe_records() -> None:
    paths = [*sorted((PROBE / "watch").rglob("*.py")), PROBE / "judgement/across_ranks.py"]
    watched = "".join(path.read_text(encoding="utf-8") for path in paths)
    recorded = {Symptom[name] for name in re.findall(r"\bSymptom\.([A-Z_]+)", watched)}
    assert {symptom for rule in CONFIRMED for symptom in rule.confirmed_by} <= recorded
