"""Rules whose advice needs a PyTorch that the project may not run yet."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from tests.rules.catalogue import DEFAULT, all_rules, source
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.tables.versions.torch_releases import fix_for_target
from trainlint.config.torch_range import parse_torch_range
from trainlint.contract.declared_rule import DeclaredRule
from trainlint.engine.judge import judge
from trainlint.finding import Fix, Safety
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


@pytest.mark.parametrize(("supported", "found"), [("<2.4", False), ("==1.13.1", False), (">=1.13", True), (None, True)])
def test_old_names_count_only_where_some_supported_version_warns_of_them(supported: str | None, found: bool) -> None:
    text = "import torch\n\nwith torch.cuda.amp.autocast():\n    model(batch)\n"
    assert bool(levels(text, supported)) == found


def levels(text: str, supported: str | None) -> set[str | None]:
    """The levels of the fixes of TRN801 in a text of a project that supports these versions; None for no fix."""
    rule = next(rule for rule in all_rules() if rule.code == "TRN801")
    target = parse_torch_range(supported) if supported else None
    verdicts = judge(source(text), (rule(),), replace(DEFAULT, target_torch=target), known=all_rules())
    return {item.fix.safety.name.lower() if item.fix else None for item in verdicts.findings}


_OLD_AUTOCAST = """import torch

def step(model, images):
    with torch.cuda.amp.autocast():
        return model(images)
"""


@pytest.mark.parametrize(
    ("supported", "expected"), [(">=2.0", {"safe"}), (None, {"safe"}), ("<2.6", {"safe"}), ("==1.8.1", set())]
)
def test_a_name_that_the_supported_versions_lack_is_not_written(supported: str | None, expected: set[str]) -> None:
    assert levels(_OLD_AUTOCAST, supported) == expected


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("from torch.func import vmap\n", {"safe"}),
        ("from torch.nn.attention import SDPBackend\n", {"safe"}),
        ("step = torch.compile(step)\n", {"safe"}),
        ("if __name__ == '__main__':\n    torch.compile(step)\n", {"safe"}),
        ("def other(model):\n    return torch.compile(model)\n", {"unsafe"}),
        ("if hasattr(torch, 'compile'):\n    step = torch.compile(step)\n", {"unsafe"}),
        ("try:\n    from torch.func import vmap\nexcept ImportError:\n    vmap = None\n", {"unsafe"}),
    ],
)
def test_what_the_file_itself_uses_shows_its_version(shown: str, expected: set[str]) -> None:
    text = source(_OLD_AUTOCAST + "\n\n" + shown)
    lower, _ = SemanticModel(text, ast.parse(text.text), DEFAULT).shown_versions
    assert (lower is not None) == (expected == {"safe"})


def test_what_is_younger_than_the_taken_for_granted_is_unsafe_unless_the_code_shows_it() -> None:
    fix = Fix("", (), Safety.SAFE)
    levels = [fix_for_target(fix, (2, 5), None, (lower, None)) for lower in (None, (2, 0), (2, 5))]
    assert [found and found.safety for found in levels] == [Safety.UNSAFE, Safety.UNSAFE, Safety.SAFE]


def test_a_module_that_is_gone_shows_that_newer_versions_do_not_run_the_file() -> None:
    scaler = "import torch\nfrom torch._six import string_classes\n\nscaler = torch.cuda.amp.GradScaler()\n"
    assert levels(scaler, None) == {None}
    assert levels(scaler.replace("from torch._six import string_classes\n", ""), None) == {"safe"}
