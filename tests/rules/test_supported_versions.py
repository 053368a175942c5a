"""Rules whose advice needs a PyTorch that the project may not run yet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.catalogue import DEFAULT, all_rules, source
from trainlint.config.torch_range import parse_torch_range
from trainlint.contract.declared_rule import DeclaredRule
from trainlint.engine.judge import judge
from trainlint.rule import Rule

ASK_FOR_VERSION = [
    rule
    for rule in all_rules()
    if issubclass(rule, DeclaredRule)
    and any("the project supports PyTorch before" in guard.sentence for guard in rule.guards)
]


def lines(rule: type[Rule], text: str, supported: str) -> list[int]:
    """Where a rule finds something in a text of a project that supports these versions."""
    config = replace(DEFAULT, target_torch=parse_torch_range(supported))
    verdicts = judge(source(text), (rule(),), config, known=all_rules())
    assert not verdicts.failures
    return [item.span.start_line for item in verdicts.findings]


@pytest.mark.parametrize("rule", ASK_FOR_VERSION, ids=lambda rule: rule.code)
def test_the_example_is_found_where_only_new_versions_are_supported(rule: type[Rule]) -> None:
    newest = ">=2.2,<2.6" if rule.code == "TRN806" else ">=2.13"
    assert lines(rule, rule.manual.example, newest)


@pytest.mark.parametrize("rule", ASK_FOR_VERSION, ids=lambda rule: rule.code)
def test_the_example_is_not_found_where_an_old_version_is_supported(rule: type[Rule]) -> None:
    assert lines(rule, rule.manual.example, ">=1.4") == []


def test_loading_is_safe_by_default_where_all_supported_versions_make_it_so() -> None:
    rule = next(rule for rule in all_rules() if rule.code == "TRN806")
    assert lines(rule, rule.manual.example, ">=2.5")
    assert lines(rule, rule.manual.example, ">=2.6") == []


@pytest.mark.parametrize(
    ("supported", "needs"), [(None, "2.3"), (">=1.8", "2.3"), (">=2.2", "2.3"), (">=2.3", None), ("==2.6.0", None)]
)
def test_help_names_the_first_version_unless_the_project_surely_has_it(
    supported: str | None, needs: str | None
) -> None:
    text = "from torch.cuda.amp import GradScaler\n\nscaler = GradScaler()\n"
    target = parse_torch_range(supported) if supported else None
    rule = next(rule for rule in all_rules() if rule.code == "TRN801")
    verdicts = judge(source(text), (rule(),), replace(DEFAULT, target_torch=target), known=all_rules())
    said = [item.help or "" for item in verdicts.findings]
    assert [help.endswith(f"(needs PyTorch {needs})") for help in said] == [needs is not None] * len(said)
    assert said or supported in (">=1.8", ">=2.2")
