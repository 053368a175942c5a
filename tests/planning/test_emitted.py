"""Configurations that `--emit` writes, read by the libraries that they are for."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from trainlint.cli.console import UsageError
from trainlint.planning.strategies import (
    DDP,
    FSDP2,
    FSDP2_GATHERED,
    HYBRID,
    OFFLOAD,
    ONE,
    STRATEGIES,
    ZERO_1,
    ZERO_2,
    ZERO_3,
    Strategy,
)
from trainlint.planning.training import Cluster, Precision, Training
from trainlint_probe.planned.emitted import accelerate, deepspeed, emitted, fsdp2

TRAINING = Training(batch=4, accumulation=2, cluster=Cluster(gpus=16, nodes=2))


@pytest.mark.parametrize(
    ("strategy", "stage"), [(DDP, 0), (ZERO_1, 1), (ZERO_2, 2), (ZERO_3, 3), (FSDP2, 3), (OFFLOAD, 3)]
)
def test_deepspeed_gets_the_stage(strategy: Strategy, stage: int) -> None:
    zero = deepspeed(strategy, TRAINING)["zero_optimization"]
    assert isinstance(zero, dict)
    assert zero["stage"] == stage
    assert ("offload_optimizer" in zero) is strategy.offloads


@pytest.mark.parametrize("strategy", [item for item in STRATEGIES if item not in (HYBRID, ONE)])
def test_deepspeed_reads_it(strategy: Strategy) -> None:
    zero_config = pytest.importorskip("deepspeed.runtime.zero.config")
    read = zero_config.DeepSpeedZeroConfig(**deepspeed(strategy, TRAINING)["zero_optimization"])  # type: ignore[arg-type]
    assert int(read.stage) == deepspeed(strategy, TRAINING)["zero_optimization"]["stage"]  # type: ignore[index]


@pytest.mark.parametrize("strategy", [item for item in STRATEGIES if item is not HYBRID])
def test_accelerate_reads_it(strategy: Strategy, tmp_path: Path) -> None:
    config = pytest.importorskip("accelerate.commands.config.config_args")
    path = tmp_path / "accelerate.yaml"
    path.write_text(emitted("accelerate", strategy, TRAINING), encoding="utf-8")
    read = config.load_config_from_file(str(path))
    assert read.num_processes == 16
    assert read.distributed_type.value == yaml.safe_load(path.read_text())["distributed_type"]


def test_accelerate_gets_what_fsdp2_needs() -> None:
    found = accelerate(FSDP2_GATHERED, TRAINING)["fsdp_config"]
    assert isinstance(found, dict)
    assert found["fsdp_version"] == 2
    assert found["fsdp_reshard_after_forward"] is False


@pytest.mark.parametrize("strategy", [FSDP2, FSDP2_GATHERED, HYBRID, ZERO_3])
def test_fsdp2_is_python(strategy: Strategy) -> None:
    code = fsdp2(strategy, TRAINING)
    compile(code, "sharded.py", "exec")
    assert ('"replicate", "shard"' in code) is (strategy is HYBRID)
    assert "bfloat16" not in fsdp2(strategy, Training(precision=Precision.FP32, cluster=TRAINING.cluster))


@pytest.mark.parametrize(
    ("kind", "strategy"),
    [("fsdp2", DDP), ("fsdp2", ZERO_2), ("fsdp2", OFFLOAD), ("deepspeed", HYBRID), ("accelerate", HYBRID)],
)
def test_what_a_library_has_no_word_for_is_refused(kind: str, strategy: Strategy) -> None:
    with pytest.raises(UsageError, match="--emit"):
        emitted(kind, strategy, TRAINING)
