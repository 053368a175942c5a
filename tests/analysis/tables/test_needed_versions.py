"""What a fix is worth that writes what only newer versions of PyTorch have."""

from __future__ import annotations

import pytest

from trainlint.analysis.tables.versions.needed_versions import FLOOR, for_target
from trainlint.config import Config
from trainlint.config.torch_range import TorchRange, parse_torch_range
from trainlint.engine.judge import judge
from trainlint.finding import Edit, Fix, Safety
from trainlint.source import SourceFile
from trainlint_rules.distributed.stale_nccl_variable import StaleNcclVariable

FIX = Fix("Use it", (Edit(0, 1, "x"),), Safety.SAFE)


@pytest.mark.parametrize("target", [TorchRange((2, 1)), TorchRange((2, 3), (2, 4))])
def test_a_fix_stays_safe_where_all_stated_versions_have_what_it_writes(target: TorchRange) -> None:
    assert for_target(FIX, "use it", (2, 1), target) == (FIX, "use it")


@pytest.mark.parametrize(
    "target",
    [None, TorchRange(None, (3, 0)), TorchRange((2, 0)), TorchRange((1, 7), (2, 2))],
)
def test_it_is_unsafe_and_names_the_version_where_they_may_lack_it(target: TorchRange | None) -> None:
    unsafe = Fix("Use it (needs torch 2.1)", FIX.edits, Safety.UNSAFE)
    assert for_target(FIX, "use it", (2, 1), target) == (unsafe, "use it")


@pytest.mark.parametrize("target", [TorchRange((1, 7), (1, 8)), TorchRange(None, (2, 1))])
def test_there_is_none_where_no_stated_version_has_it(target: TorchRange) -> None:
    assert for_target(FIX, "use it", (2, 1), target) == (None, "use it (needs torch 2.1)")


def test_what_every_version_has_needs_no_statement() -> None:
    assert for_target(FIX, "use it", FLOOR, None) == (FIX, "use it")


def test_of_older_versions_nothing_is_known() -> None:
    fix, _ = for_target(FIX, "use it", (0, 4), TorchRange((0, 4)))
    assert fix is not None
    assert fix.safety is Safety.UNSAFE


def test_without_a_fix_the_help_names_the_version() -> None:
    assert for_target(None, "use it", (2, 1), None) == (None, "use it (needs torch 2.1)")


STALE = 'import os\nimport torch\n\nos.environ["NCCL_BLOCKING_WAIT"] = "1"\n'


@pytest.mark.parametrize(("target", "count"), [("", 1), (">=2.2", 1), ("<2.9", 1), ("<2.2", 0)])
def test_a_rule_proposes_nothing_that_an_upper_bound_rules_out(target: str, count: int) -> None:
    config = Config(target_torch=parse_torch_range(target) if target else None, preview=True)
    assert len(judge(SourceFile("train.py", STALE), [StaleNcclVariable()], config).findings) == count
