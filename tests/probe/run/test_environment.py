"""The record of machine and software, and what is said to be off."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from trainlint_probe.environment import concerns

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
        ({"CPU threads": "32"}, {}, "32 CPU threads, and 16 cores are there for them: set OMP_NUM_THREADS=16"),
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
