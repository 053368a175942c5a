"""Branches behind options that are off by default, here or in another file: heat there is less sure."""

from __future__ import annotations

import textwrap

import pytest

from tests.analysis.project.project import project
from trainlint.analysis.frequency.heat_fact import HeatFact

OPTIONS = """
from dataclasses import dataclass, field


@dataclass
class TrainOptions:
    weigh_samples: bool = field(default=False, metadata={"help": "Weigh samples."})
    reference: str | None = None
    smoothing: float = 0.1
    use_prior: bool = True
"""
TRAIN = """
from options import TrainOptions


def train(model, loader, optimizer, args: TrainOptions):
    for batch in loader:
        loss = model(batch)
        loss.backward()
        optimizer.step()
        if {test}:
            report(loss)


def report(loss):
    print(loss)
"""


def heat(test: str, **others: str) -> HeatFact:
    """The heat of `report`, which a training step calls where a test holds."""
    files = {"options.py": OPTIONS, "train.py": TRAIN.replace("{test}", test)}
    files |= {f"{name}.py": code for name, code in others.items()}
    return project({path: textwrap.dedent(code) for path, code in files.items()}).heat("train.py", "report")


@pytest.mark.parametrize(
    "test",
    [
        "args.weigh_samples",
        "args.weigh_samples and len(batch) > 2",
        "args.reference is not None",
        "not args.use_prior",
        "getattr(args, 'weigh_samples', False)",
        "args.weigh_samples is True",
    ],
)
def test_what_an_option_in_another_file_must_switch_on_is_less_sure(test: str) -> None:
    fact = heat(test)
    assert fact.heat.in_step
    assert 0.5 < fact.confidence < 0.7
    assert any("(default: " in step or "not left at its default" in step for step in fact.chain)


@pytest.mark.parametrize(
    "test",
    [
        "args.use_prior",
        "args.smoothing > 0",
        "not args.weigh_samples",
        "args.reference is None",
        "args.weigh_samples or len(batch) > 2",
        "args.unheard_of",
        "batch.weigh_samples",
    ],
)
def test_what_holds_by_default_or_is_not_known_is_as_sure_as_the_loop(test: str) -> None:
    assert heat(test).confidence > 0.9


def test_an_option_that_two_files_declare_otherwise_says_nothing() -> None:
    other = "import train\n\n\nclass Other:\n    weigh_samples: bool = True\n"
    assert heat("args.weigh_samples", other=other).confidence > 0.9


def test_options_of_projects_that_do_not_import_each_other_say_nothing() -> None:
    files = {"a.py": OPTIONS, "b.py": TRAIN.replace("from options import TrainOptions", "import torch")}
    files["b.py"] = files["b.py"].replace("args: TrainOptions", "args").replace("{test}", "args.weigh_samples")
    assert project(files).heat("b.py", "report").confidence > 0.9


@pytest.mark.parametrize("option", ["use_cuda", "fp16", "distributed"])
def test_options_that_any_run_worth_tuning_sets_are_as_sure(option: str) -> None:
    code = f"""
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("--{option}", action="store_true")
    args = parser.parse_args()
    """
    assert heat(f"args.{option}", cli=textwrap.dedent(code) + "import train\n").confidence > 0.9


def test_an_option_that_the_object_itself_keeps_is_followed() -> None:
    code = """
    from options import TrainOptions


    class Trainer:
        def __init__(self, args: TrainOptions):
            self.weigh_samples = args.weigh_samples

        def train(self, model, loader, optimizer):
            for batch in loader:
                loss = model(batch)
                loss.backward()
                optimizer.step()
                if self.weigh_samples:
                    self.report(loss)

        def report(self, loss):
            print(loss)
    """
    found = project({"options.py": OPTIONS, "trainer.py": textwrap.dedent(code)})
    assert found.heat("trainer.py", "Trainer.report").confidence < 0.7
