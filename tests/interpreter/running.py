"""Run a project of a few files abstractly, for tests."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from textwrap import dedent

from trainlint.interpreter.bounds import Limit
from trainlint.interpreter.evaluation import run_project
from trainlint.interpreter.machine.events import Event
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.project.modules import Project


def run_files(files: Iterable[tuple[str, str]]) -> tuple[Run, list[Event]]:
    """Execute files, given as paths with their code. Returns the run and what it told."""
    events: list[Event] = []
    trees = [(path, ast.parse(dedent(code))) for path, code in files]
    run = run_project(Project(trees), events.append)
    assert not [one.sentence for one in run.left_out if one.limit is Limit.CRASH]
    return run, events


def places(events: Iterable[Event]) -> list[str]:
    """Each event as `path:line OPERATION level`, sorted, once."""
    return sorted({f"{event.path}:{event.node.lineno} {event.happening.name} {event.level}" for event in events})


def told_in_a_step(statement: str, before: str = "pass") -> list[str]:
    """What a statement tells, as `OPERATION level`, in a training step with `output`, a tensor of the device."""
    code = f"""
import numpy as np
import torch
from torch.distributions import Categorical, Independent, Normal
from torch.utils.data import DataLoader
{before}
model = torch.nn.Linear(3, 3).cuda()
for batch in DataLoader([]):
    output = model(batch.cuda(non_blocking=True))
    {statement}
    output.sum().backward()
"""
    return [place.split(" ", 1)[1] for place in places(run_files([("train.py", code)])[1])]
