"""What is seen of a training, and at which lines."""

from __future__ import annotations

import gzip
from statistics import fmean

import pytest
import torch

from tests.probe.run.running import SCRIPTS, Runner, line_of, only, seen_at
from trainlint.evidence.places import Line
from trainlint.evidence.run import Phase
from trainlint.symptoms import Symptom
from trainlint_probe.watch import hooks


def test_a_plain_loop(runner: Runner) -> None:
    launched = runner.run("plain", steps=60)
    run = only(launched)
    assert launched.exit_code == 0
    assert run.outcome == "window closed"
    for step in run.steps:
        assert sum(step.phases.values()) == pytest.approx(step.ms)
    drawn, evaluated = line_of("plain", "in loader"), line_of("plain", "            model(inputs)")
    wait = sum(item.host_ms or 0 for item in seen_at(run, drawn, Symptom.DATA_WAIT))
    assert wait >= 0.5 * 8 * 60  # each of eight samples sleeps for half a millisecond
    assert not any(item.symptom in (Symptom.HOST_SYNC, Symptom.HOST_TO_DEVICE) for item in run.seen)
    assert seen_at(run, evaluated)[0].symptom is Symptom.EVALUATION_WITH_GRADIENTS
    assert [item.symptom for item in seen_at(run, line_of("plain", "torch.save"))] == [Symptom.CHECKPOINT]
    (loader,) = run.loaders
    assert loader.made_at == Line(str(SCRIPTS / "plain.py"), line_of("plain", "DataLoader(Slow()"))
    assert (loader.settings["num_workers"], loader.settings["batch_size"]) == ("0", "8")
    (optimizer,) = run.optimizers
    assert (optimizer.name, optimizer.steps, optimizer.parameters) == ("AdamW", 60, 4)
    assert run.redirected == (str(runner.project / "checkpoint.pt"),)
    assert runner.files() == []


def test_what_a_closure_does_is_not_the_optimizer_s(runner: Runner) -> None:
    run = only(runner.run("in_a_closure"))
    assert run.clock.startswith("SGD.step")
    means = {phase: fmean(step.phases.get(phase, 0.0) for step in run.steps) for phase in Phase}
    assert means[Phase.OTHER] >= 20  # it sleeps that long in each step
    assert means[Phase.OPTIMIZER] < means[Phase.OTHER]


def test_paths_are_shown_from_the_working_directory(runner: Runner) -> None:
    script = runner.project / "train.py"
    script.write_text((SCRIPTS / "toy.py").read_text() + "\ntrain(100)\n")
    from trainlint_probe.child_settings import ChildSettings
    from trainlint_probe.launch import Request, launch

    launched = launch(
        Request("train.py", child_settings=ChildSettings(output="", warmup=3, warmup_limit=5, steps=5)), runner.output
    )
    assert only(launched).clock == f"SGD.step at train.py:{line_of('toy', 'optimizer.step()')}"
    assert only(launched).command == ("python", "train.py")


@pytest.mark.nightly
def test_a_closure_runs_forward_and_backward_inside_the_step(runner: Runner) -> None:
    run = only(runner.run("closure"))
    assert run.clock.startswith("LBFGS.step at ")
    for step in run.steps:
        assert step.micro_batches >= 4
        assert step.phases[Phase.BACKWARD] > 0
        assert step.phases[Phase.OPTIMIZER] < step.ms - step.phases[Phase.BACKWARD]


@pytest.mark.nightly
def test_an_iterable_dataset_and_workers_that_are_spawned(runner: Runner) -> None:
    launched = runner.run("iterable")
    (loader,) = only(launched).loaders
    assert loader.settings["iterable"] == "True"
    assert loader.settings["prefetch_factor"] == "3"
    assert loader.drawn_at is not None
    assert loader.drawn_at.line == line_of("iterable", "for inputs in loader")


def test_a_module_is_run_as_python_runs_it(runner: Runner) -> None:
    package = runner.project / "package"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "helper.py").write_text((SCRIPTS / "toy.py").read_text())
    (package / "__main__.py").write_text(
        "import sys\nfrom .helper import train\n"
        "assert __name__ == '__main__' and sys.modules['__main__'].train is train\n"
        "assert sys.argv[0] == __file__ and sys.argv[1:] == ['--lr', '1'], sys.argv\ntrain(100)\n"
    )
    run = only(runner.run("package", "--lr", "1", module=True))
    assert run.outcome == "window closed"
    assert run.command == ("python", "-m", "package", "--lr", "1")
    assert run.clock.startswith("SGD.step at package/helper.py:")


def test_what_cannot_be_run_is_told(runner: Runner, capfd: pytest.CaptureFixture[str]) -> None:
    launched = runner.run("absent", module=True)
    assert (launched.runs, launched.exit_code) == ((), 2)
    assert "There is no module absent that could be run" in capfd.readouterr().err


def test_the_deeper_look_names_lines_in_the_trace(runner: Runner, capfd: pytest.CaptureFixture[str]) -> None:
    launched = runner.run("plain", deep_steps=2)
    (trace,) = launched.traces
    with gzip.open(trace, "rt") as stream:
        text = stream.read()
    assert text.count('"ProfilerStep#') >= 2
    for what, line in (("DataLoader.__next__", "in loader"), ("backward", ".backward")):
        assert f"TL|{what}|{SCRIPTS / 'plain.py'}:{line_of('plain', line)}" in text
    assert "USDT" not in capfd.readouterr().err


def test_what_pytorch_warns_of_is_noted_at_its_line(runner: Runner) -> None:
    run = only(runner.run("warned"))
    (warned,) = [item for item in run.seen if item.symptom is Symptom.WARNING]
    assert (warned.at.line, warned.what) == (line_of("warned", "autocast(enabled"), "FutureWarning")
    assert "torch.cuda.amp.autocast" in warned.details["message"]


def test_a_gpu_that_is_left_alone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert hooks._unused_gpu().startswith("There is a GPU, and this training did not use it")
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    assert hooks._unused_gpu() == ""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert hooks._unused_gpu() == ""
