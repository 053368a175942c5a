"""Frameworks, unchanged. These tests alone need them: `pip install accelerate lightning torchdata transformers`."""

from __future__ import annotations

import importlib.util

import pytest

from tests.probe.run.running import SCRIPTS, Runner, line_of, only, seen_at
from trainlint.evidence.run import Phase
from trainlint.symptoms import Symptom

pytestmark = pytest.mark.frameworks


def needs(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(importlib.util.find_spec(name) is None, reason=f"{name} is not installed")


@needs("accelerate")
def test_accelerate(runner: Runner) -> None:
    run = only(runner.run("with_accelerate"))
    assert run.outcome == "window closed"
    assert run.clock.endswith(f"with_accelerate.py:{line_of('with_accelerate', 'optimizer.step()')}")
    assert {step.micro_batches for step in run.steps} == {2}
    (loader,) = run.loaders
    assert loader.made_at is not None
    assert loader.made_at.line == line_of("with_accelerate", "DataLoader(TensorDataset")
    assert seen_at(run, line_of("with_accelerate", "accelerator.backward"), Symptom.BACKWARD)
    assert run.redirected[0] == str(runner.project / "state")
    assert runner.files() == []


@pytest.mark.nightly
@needs("accelerate")
def test_accelerates_own_launcher(runner: Runner) -> None:
    words = ("--cpu", "--num_processes=1", "--num_machines=1", "--mixed_precision=no", "--dynamo_backend=no")
    script = str(SCRIPTS / "with_accelerate.py")
    run = only(runner.run("accelerate.commands.launch", *words, script, module=True))
    assert run.outcome == "window closed"
    assert run.clock.endswith(f"with_accelerate.py:{line_of('with_accelerate', 'optimizer.step()')}")
    assert runner.files() == []


@needs("lightning")
def test_lightning(runner: Runner) -> None:
    run = only(runner.run("with_lightning"))
    assert run.outcome == "window closed"
    fit = line_of("with_lightning", "trainer.fit")
    assert run.clock.endswith(f"with_lightning.py:{fit}")
    for step in run.steps:
        assert step.micro_batches == 1
        assert step.phases[Phase.OPTIMIZER] < step.ms
    (backward,) = seen_at(run, fit, Symptom.BACKWARD)
    assert not backward.direct
    assert "lightning" in backward.details["via"]
    assert any(path.endswith(".ckpt") for path in run.redirected)
    assert runner.files() == []


@pytest.mark.nightly
@needs("transformers")
def test_the_trainer_of_transformers(runner: Runner) -> None:
    run = only(runner.run("with_transformers"))
    assert run.outcome == "window closed"
    train = line_of("with_transformers", ".train()")
    assert run.clock.endswith(f"with_transformers.py:{train}")
    assert seen_at(run, train, Symptom.DATA_WAIT)
    assert any("results" in path for path in run.redirected)
    assert runner.files() == []


@pytest.mark.nightly
@needs("torchdata")
def test_the_stateful_loader_of_torchdata(runner: Runner) -> None:
    run = only(runner.run("with_torchdata"))
    (loader,) = run.loaders
    assert loader.made_at is not None
    assert loader.drawn_at is not None
    assert loader.made_at.line == line_of("with_torchdata", "= StatefulDataLoader(")
    assert loader.drawn_at.line == line_of("with_torchdata", "in loader")
    assert all(step.phases[Phase.DATA_WAIT] > 0 for step in run.steps)
