"""TRN532 asks which versions of PyTorch the project supports."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.catalogue import STATED, source
from trainlint.config.torch_range import TorchRange
from trainlint.engine.judge import judge
from trainlint.finding import Finding
from trainlint_rules.distributed.stale_nccl_variable import StaleNcclVariable

BLOCKING = 'import os\n\nos.environ["NCCL_BLOCKING_WAIT"] = "1"\n'
STREAMS = 'import os\n\nos.environ.setdefault("TORCH_NCCL_AVOID_RECORD_STREAMS", "1")\n'


def judged_for(text: str, target: TorchRange | None) -> tuple[Finding, ...]:
    return judge(source(text), [StaleNcclVariable()], replace(STATED, target_torch=target)).findings


@pytest.mark.parametrize(("text", "oldest"), [(BLOCKING, (2, 1)), (STREAMS, (2, 7))])
def test_it_is_silent_where_the_oldest_version_reads_the_variable(text: str, oldest: tuple[int, int]) -> None:
    assert not judged_for(text, TorchRange(oldest))
    assert judged_for(text, TorchRange((2, 8)))


def test_a_variable_without_a_new_name_is_removed_where_every_version_ignores_it() -> None:
    (known,) = judged_for(STREAMS, TorchRange((2, 8)))
    (unknown,) = judged_for(STREAMS, None)
    assert known.fix is not None
    assert known.fix.title == "Remove the variable"
    assert unknown.fix is None
