"""Functions that a program starts in other processes and threads: they are called with what it gives them."""

from __future__ import annotations

from typing import Final

import pytest

from tests.interpreter.running import places, run_files

_PROGRAM: Final = """
import threading
import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader
def train(number, loader):
    model = torch.nn.Linear(3, 3).cuda()
    for batch in loader:
        model(batch.cuda(non_blocking=True)).sum().backward()
def main():
    loader = DataLoader([], pin_memory=pinned())
    {start}
main()
"""


@pytest.mark.parametrize(
    "start",
    [
        "mp.spawn(train, args=(loader,), nprocs=4)",
        "mp.spawn(fn=train, args=(loader,), nprocs=4)",
        "mp.spawn(train, (loader,), 4)",
        "mp.start_processes(train, (loader,), 4)",
        "mp.Process(target=train, args=(0, loader)).start()",
        "mp.get_context('spawn').Process(target=train, args=(0, loader)).start()",
        "threading.Thread(target=train, args=(0, loader)).start()",
        "mp.Process(None, train, 'trainer', (0, loader)).start()",
    ],
)
def test_a_loader_trains_where_it_is_given_to_a_process(start: str) -> None:
    run, events = run_files([("train.py", _PROGRAM.format(start=start))])
    [(_, use)] = run.loaders
    assert use.trains is not None
    assert places(events) == []


@pytest.mark.parametrize("start", ["mp.spawn(train, args=given(), nprocs=4)", "mp.Process(target=train).start()"])
def test_a_function_is_called_whatever_it_is_given(start: str) -> None:
    run, _ = run_files([("train.py", _PROGRAM.format(start=start))])
    assert {kind for kinds in run.contexts.values() for kind in kinds} == {"cold"}
    assert len(run.contexts) == 2
