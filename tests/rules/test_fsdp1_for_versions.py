"""TRN514 asks which versions of PyTorch the project supports."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.catalogue import STATED, source
from trainlint.config.torch_range import TorchRange
from trainlint.engine.judge import judge
from trainlint_rules.distributed.fsdp1_api import Fsdp1Api


@pytest.mark.parametrize(
    ("target", "levels"),
    [(TorchRange((2, 5)), []), (TorchRange((2, 6)), ["certain"]), (None, ["likely"])],
)
def test_the_oldest_version_must_have_the_successor(target: TorchRange | None, levels: list[str]) -> None:
    config = replace(STATED, target_torch=target)
    findings = judge(source(Fsdp1Api.manual.example), [Fsdp1Api()], config).findings
    assert [item.confidence.label for item in findings] == levels
