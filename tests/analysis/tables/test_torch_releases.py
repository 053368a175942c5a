"""What a fix is worth where it needs a version of PyTorch."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from trainlint.analysis.tables.versions.torch_releases import IN_ALL, OLD_ENOUGH, RELEASES, Shown, fix_for_target
from trainlint.config import Config
from trainlint.config.torch_range import TorchRange, parse_torch_range
from trainlint.engine.judge import judge
from trainlint.finding import Edit, Fix, Safety
from trainlint.source import SourceFile
from trainlint_rules.distributed.private_collective import PrivateCollective
from trainlint_rules.distributed.stale_nccl_variable import StaleNcclVariable

MADE = date(2026, 11, 22)
FIX = Fix("Use it", (Edit(0, 1, "x"),), Safety.SAFE)
YOUNG = max(RELEASES)


def test_the_threshold_is_the_newest_version_of_two_years() -> None:
    old = [version for version, day in RELEASES.items() if date.fromisoformat(day) <= MADE.replace(year=MADE.year - 2)]
    assert max(old) == OLD_ENOUGH


@pytest.mark.parametrize("target", [None, TorchRange(None, (9, 0))])
def test_there_is_no_fix_that_needs_a_young_version_where_none_is_named(target: TorchRange | None) -> None:
    assert fix_for_target(FIX, YOUNG, target) is None


@pytest.mark.parametrize("target", [TorchRange(YOUNG), TorchRange((3, 0))])
def test_it_is_safe_where_the_project_has_it(target: TorchRange) -> None:
    assert fix_for_target(FIX, YOUNG, target) == FIX


@pytest.mark.parametrize("target", [TorchRange((2, 0)), TorchRange(None, (2, 3))])
def test_there_is_none_where_the_project_lacks_it(target: TorchRange) -> None:
    assert fix_for_target(FIX, YOUNG, target) is None


def test_what_not_all_versions_in_use_have_is_unsafe_where_none_is_named() -> None:
    assert fix_for_target(FIX, OLD_ENOUGH, None) == replace(FIX, safety=Safety.UNSAFE)


def test_old_versions_are_taken_for_granted() -> None:
    assert fix_for_target(FIX, IN_ALL, None) == FIX


@pytest.mark.parametrize(
    ("target", "shown", "expected"),
    [
        (None, (YOUNG, None), FIX),
        (TorchRange(None, (9, 0)), (YOUNG, None), FIX),
        (TorchRange((2, 0)), (YOUNG, None), None),
        (None, (None, (2, 0)), None),
    ],
)
def test_what_the_code_shows_counts_where_the_oldest_is_not_named(
    target: TorchRange | None, shown: Shown, expected: Fix | None
) -> None:
    assert fix_for_target(FIX, YOUNG, target, shown) == expected


STALE = 'import os\nimport torch\n\nos.environ["NCCL_BLOCKING_WAIT"] = "1"\n'


@pytest.mark.parametrize(
    ("target", "safety"), [("", Safety.SAFE), (">=2.2", Safety.SAFE), ("<2.9", Safety.SAFE), ("<2.2", None)]
)
def test_a_rule_proposes_nothing_that_an_upper_bound_rules_out(target: str, safety: Safety | None) -> None:
    config = Config(target_torch=parse_torch_range(target) if target else None, preview=True)
    found = judge(SourceFile("train.py", STALE), [StaleNcclVariable()], config).findings
    assert [finding.fix and finding.fix.safety for finding in found] == ([] if safety is None else [safety])


def test_a_rule_takes_the_young_name_only_where_the_project_has_it() -> None:
    text = "import torch.distributed as dist\n\ndist._all_gather_base(out, x)\n"
    for target, name in ((None, "all_gather_into_tensor"), (">=2.13", "all_gather_single")):
        config = Config(target_torch=parse_torch_range(target) if target else None)
        (finding,) = judge(SourceFile("train.py", text), [PrivateCollective()], config).findings
        assert finding.fix is not None
        assert finding.fix.safety is Safety.SAFE
        assert name in finding.fix.title
