"""Rules whose advice needs a PyTorch that the project may not run yet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.executed import frequencies
from tests.rules.catalogue import DEFAULT, all_rules, source
from trainlint.config.torch_range import parse_torch_range
from trainlint.contract.declared_rule import DeclaredRule
from trainlint.engine.judge import judge
from trainlint.finding import Confidence, Finding, Severity
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
    judged = source(text)
    verdicts = judge(judged, (rule(),), config, known=all_rules(), frequencies=frequencies(judged)[judged.path])
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


def judged_for(text: str, code: str, supported: str | None) -> tuple[Finding, ...]:
    """What a rule finds, shown or not, in a text of a project that states these versions."""
    rule = next(rule for rule in all_rules() if rule.code == code)
    target = parse_torch_range(supported) if supported else None
    config = replace(DEFAULT, target_torch=target, min_confidence=Confidence.UNLIKELY)
    verdicts = judge(source(text), (rule(),), config, known=all_rules())
    assert not verdicts.failures
    return verdicts.findings


def levels(text: str, supported: str | None) -> set[str | None]:
    """The levels of the fixes of TRN801 in a text of a project that states these versions; None for no fix."""
    return {item.fix.safety.name.lower() if item.fix else None for item in judged_for(text, "TRN801", supported)}


_OLD_AUTOCAST = """import torch

def step(model, images):
    with torch.cuda.amp.autocast():
        return model(images)
"""


@pytest.mark.parametrize(
    ("supported", "expected"),
    [(">=2.0", {"safe"}), (None, {"unsafe"}), ("<2.6", {"unsafe"}), (">=1.8", set()), ("==1.8.1", set())],
)
def test_a_name_that_the_stated_versions_may_lack_is_no_safe_fix(supported: str | None, expected: set[str]) -> None:
    assert levels(_OLD_AUTOCAST, supported) == expected


@pytest.mark.parametrize(("supported", "shown"), [(">=2.4", True), (">=1.13", False), ("<2.9", False), (None, False)])
def test_an_old_name_is_a_default_finding_only_where_the_stated_versions_warn_of_it(
    supported: str | None, shown: bool
) -> None:
    assert all(
        (item.confidence >= Confidence.LIKELY) == shown for item in judged_for(_OLD_AUTOCAST, "TRN801", supported)
    )


_OF_EACH_RULE = {
    "TRN801": (_OLD_AUTOCAST, "2.4"),
    "TRN808": ("from torchvision import models\n\nmodels.resnet18(pretrained=True)\n", "1.12"),
    "TRN812": ("import torch.nn as nn\n\nnn.init.constant(weight, 0)\n", "1.7"),
    "TRN814": ("import torch\n\ntorch.nn.MSELoss(size_average=False)\n", "1.7"),
    "TRN818": ("import torch\n\ntorch.zeros(2).add_(0.1, torch.ones(2))\n", "1.5"),
}


@pytest.mark.parametrize("code", _OF_EACH_RULE)
def test_each_rule_about_old_names_asks_what_is_stated(code: str) -> None:
    text, since = _OF_EACH_RULE[code]
    known, unknown = judged_for(text, code, f">={since}"), judged_for(text, code, None)
    assert [item.confidence for item in unknown] == [Confidence.POSSIBLE]
    assert [item.confidence for item in known] == [Confidence.CERTAIN]


@pytest.mark.parametrize(("supported", "confidence"), [(">=1.8", Confidence.CERTAIN), (None, Confidence.POSSIBLE)])
def test_what_a_stated_version_lacks_is_as_sure_as_the_statement(supported: str | None, confidence: Confidence) -> None:
    for code, text in {
        "TRN812": "from torch._six import string_classes\n\nprint(string_classes)\n",
        "TRN814": "from torch.optim.lr_scheduler import StepLR\n\nStepLR(optimizer, 2, verbose=True)\n",
    }.items():
        (found,) = judged_for(text, code, supported)
        assert (found.severity, found.confidence) == (Severity.ERROR, confidence)
