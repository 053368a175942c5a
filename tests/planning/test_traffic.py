"""Bytes that the planner says are sent, against what ranks over gloo hand to their collectives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from trainlint.planning.model import model_of_parameters
from trainlint.planning.strategies import DDP, FSDP2, FSDP2_GATHERED, ZERO_1, ZERO_2, Strategy
from trainlint.planning.traffic import traffic
from trainlint.planning.training import Cluster, Precision, Training

PROJECT = Path(__file__).parent.parent.parent
PARAMETERS = 4 * 64 * 64
"""Of `tests.planning.scripts.ranks`."""
RANKS = 2


def ran(way: str, accumulation: int) -> dict[str, int]:
    """What rank 0 counted."""
    pytest.importorskip("torch")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={RANKS}"]
    command += ["-m", "tests.planning.scripts.ranks", way, str(accumulation)]
    done = subprocess.run(
        command, cwd=PROJECT, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
    return found


def sent(counted: dict[str, int]) -> float:
    """Bytes that each rank of a ring sends: an all-reduce sends twice what a gather or a scatter does."""
    once = counted.get("allgather_base", 0) + counted.get("reduce_scatter_base", 0)
    return (2 * counted.get("allreduce", 0) + once) * (RANKS - 1) / RANKS


@pytest.mark.slow
@pytest.mark.parametrize(("way", "strategy"), [("ddp", DDP), ("fsdp2", FSDP2), ("fsdp2-gathered", FSDP2_GATHERED)])
def test_ranks_send_what_the_plan_says(way: str, strategy: Strategy) -> None:
    training = Training(precision=Precision.FP32, accumulation=2, cluster=Cluster(gpus=RANKS))
    assert traffic(model_of_parameters(PARAMETERS), training, strategy).total == sent(ran(way, 2))


@pytest.mark.parametrize(("strategy", "elements"), [(DDP, 2), (ZERO_1, 2), (ZERO_2, 2), (FSDP2, 3)])
def test_elements_for_each_parameter(strategy: Strategy, elements: int) -> None:
    """ZeRO, section 7, for many GPUs."""
    training = Training(precision=Precision.MIXED, cluster=Cluster(gpus=1024))
    found = traffic(model_of_parameters(1e9), training, strategy)
    assert found.total / 2e9 == pytest.approx(elements, rel=0.001)


def test_accumulation_repeats_what_sharded_weights_need() -> None:
    model, several = model_of_parameters(1e9), Training(accumulation=4, cluster=Cluster(gpus=8))
    once = Training(cluster=Cluster(gpus=8))
    assert traffic(model, several, DDP) == traffic(model, once, DDP)
    assert traffic(model, several, FSDP2).total == 4 * traffic(model, once, FSDP2).total
