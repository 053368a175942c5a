"""The record of machine and software, and what is said to be off."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch

from trainlint_probe.environment import concerns, tf32_allowed

CUDA = {"torch": "2.13.0+cu130", "CUDA": "13.0", "GPU": "NVIDIA H100", "CPU cores": "16", "CPU threads": "16"}


def test_the_record_names_torch_and_its_threads() -> None:
    command = [sys.executable, "-m", "trainlint_probe.environment"]
    paths = os.pathsep.join((".", "runtime_probe", os.environ.get("PYTHONPATH", "")))
    environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "2", "HF_TOKEN": "hf_secret"}
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120).stdout
    facts = json.loads(shown)["facts"]
    assert facts["CPU threads"] == facts["OMP_NUM_THREADS"] == "2"
    assert facts["torch"].split(".")[0] == "2"
    assert "hf_secret" not in shown


def test_a_machine_as_it_should_be_raises_no_concern() -> None:
    assert concerns(CUDA, {}, has_gpu=True) == ()


@pytest.mark.parametrize(
    ("facts", "environment", "sentence"),
    [
        ({"torch": "2.13.0+cpu", "CUDA": None, "GPU": None}, {}, "built for the CPU alone"),
        ({"GPU": None}, {}, "cannot use"),
        ({"CPU threads": "1"}, {"OMP_NUM_THREADS": "1"}, "OMP_NUM_THREADS=1 says so"),
        ({"CPU threads": "32"}, {}, "32 CPU threads on 16 cores: set OMP_NUM_THREADS=16"),
        ({"CPU threads": "8"}, {"LOCAL_WORLD_SIZE": "4"}, "8 CPU threads in each of 4 processes"),
        ({}, {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}, "is called PYTORCH_ALLOC_CONF today"),
        ({}, {"PYTORCH_ALLOC_CONF": "max_split_size_mb:128"}, "expandable_segments:True does more"),
        ({}, {"CUDA_LAUNCH_BLOCKING": "1"}, "wait for each kernel"),
        ({}, {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}, "asks the driver"),
    ],
)
def test_what_is_off_is_said(facts: dict[str, str | None], environment: dict[str, str], sentence: str) -> None:
    known = {name: value for name, value in {**CUDA, **facts}.items() if value is not None}
    (said,) = concerns(known, environment, has_gpu=True)
    assert sentence in said


def test_older_torch_keeps_the_older_name() -> None:
    older = {**CUDA, "torch": "2.6.0+cu124"}
    assert concerns(older, {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}, has_gpu=True) == ()


def test_ranks_of_a_launcher_may_have_one_thread() -> None:
    ranks = {"OMP_NUM_THREADS": "1", "LOCAL_WORLD_SIZE": "8"}
    assert concerns({**CUDA, "CPU threads": "1"}, ranks, has_gpu=True) == ()


class Unreadable:
    """The switches of PyTorch 2.9, of which a script has set a new one."""

    fp32_precision = "tf32"

    @property
    def allow_tf32(self) -> bool:
        raise RuntimeError("mix of the legacy and new APIs")


@pytest.mark.parametrize(
    ("matmul", "allowed"),
    [
        (SimpleNamespace(allow_tf32=True), True),
        (SimpleNamespace(allow_tf32=False), False),
        (SimpleNamespace(allow_tf32=False, fp32_precision="none"), False),
        (Unreadable(), True),
    ],
)
def test_old_and_new_switches_are_read(matmul: object, allowed: bool) -> None:
    cudnn = SimpleNamespace(allow_tf32=False)
    fake = SimpleNamespace(backends=SimpleNamespace(cudnn=cudnn, cuda=SimpleNamespace(matmul=matmul)))
    assert tf32_allowed(fake, is_convolution=False) is allowed
    assert not tf32_allowed(fake, is_convolution=True)


@pytest.mark.skipif(not hasattr(torch.backends.cudnn, "conv"), reason="this PyTorch has the old switches alone")
def test_pytorchs_own_switches_are_read_after_a_script_has_set_new_ones() -> None:
    script = (
        "import torch; from trainlint_probe.environment import tf32_allowed; "
        "torch.backends.cuda.matmul.fp32_precision = 'tf32'; torch.backends.cudnn.conv.fp32_precision = 'ieee'; "
        "print([tf32_allowed(torch, is_convolution=each) for each in (False, True)])"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "[True, False]\n"
