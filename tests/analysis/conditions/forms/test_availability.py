"""Tests of the machine, of the size of the job, of versions, and of being the program."""

from __future__ import annotations

import pytest

from tests.analysis.conditions.reading import condition
from trainlint.analysis.conditions.condition import ConditionKind


@pytest.mark.parametrize(
    "test",
    ["torch.cuda.is_available()", 'device.type == "cuda"', "world_size > 1", "dist.is_initialized()", "n_gpu == 1"],
)
def test_hardware(test: str) -> None:
    found = condition(test)
    assert found.kind is ConditionKind.HARDWARE
    assert found.holds_each_step


@pytest.mark.parametrize("test", ['torch.__version__ >= "2.0"', 'hasattr(torch, "compile")', "not TORCH_2"])
def test_versions(test: str) -> None:
    found = condition(test)
    assert found.kind is ConditionKind.VERSION
    assert found.holds_each_step


@pytest.mark.parametrize(
    "test", ['"compile" in dir(torch)', '"compile" not in vars(torch)', '"stft" in torch.__dict__']
)
def test_the_names_of_a_module(test: str) -> None:
    found = condition(test)
    assert found.kind is ConditionKind.VERSION
    assert found.holds_each_step


def test_a_shim_for_what_a_module_lacks() -> None:
    found = condition('"compile" not in dir(torch)', body="torch.compile = compiled")
    assert (found.kind, found.rare) == (ConditionKind.VERSION, True)


def test_the_names_of_an_object_are_no_version() -> None:
    assert condition('"compile" in dir(model)').kind is not ConditionKind.VERSION


def test_the_program_itself() -> None:
    assert condition('__name__ == "__main__"').kind is ConditionKind.ALWAYS
