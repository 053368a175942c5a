"""Real training code on which properties of the whole engine are tried: on some files in `make test`, on all nightly.

A property such as "a rule finds alone what it finds among others" judges each file once for each rule. Over all files
that takes most of the time of the suite. The files in `CHOSEN` run 85 of 100 functions of the analysis and of the
rules that judging all files runs; each was taken for what it adds, the topics of rules that were missing came last.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALL_FILES = sorted((*ROOT.glob("examples/*.py"), *ROOT.glob("tests/cases/*/*.py")))

CHOSEN = {
    "examples/train.py": "a whole script: loaders, heat of loops, devices, precision, optimizer, checkpoints",
    "examples/train_ddp.py": "a script of several processes: process group, ranks, wrapped model",
    "examples/model.py": "modules without a training loop: layers, attention, roles such as forward",
    "examples/data.py": "data sets and collate functions: code that worker processes run",
    "tests/cases/TRN101/near_misses.py": "data: loaders whose options come from variables, dicts and branches",
    "tests/cases/TRN112/near_misses.py": "data: tokenizers that pad, and what a collate function makes of it",
    "tests/cases/TRN106/each_worker_reads_all.py": "data: data sets that workers share, and what an item costs",
    "tests/cases/TRN203/near_misses.py": "synchronization: tests and texts; guards by interval, rank and option",
    "tests/cases/TRN205/many_shapes.py": "synchronization: batches as tuples, dicts and objects, copied to a device",
    "tests/cases/TRN207/tables.py": "synchronization: arrays and host tensors, values that stay the same over steps",
    "tests/cases/TRN209/near_misses.py": "synchronization: masks, indices and sizes of tensors",
    "tests/cases/TRN203/bars.py": "synchronization: progress bars, which are followed through their names",
    "tests/cases/TRN303/near_misses.py": "memory: evaluations, in which autograd is off in many ways",
    "tests/cases/TRN402/training.py": "precision: autocast, gradient scalers, and the whole way into the loop",
    "tests/cases/TRN520/finetuning.py": "distributed: settings of DeepSpeed in dicts",
    "tests/cases/TRN607/near_misses.py": "optimizers: loops over parameters, in steps and outside of them",
    "tests/cases/TRN215/only_for_the_log.py": "synchronization: collectives whose results only logs take",
    "tests/cases/TRN705/compiled.py": "attention: models that are compiled somewhere on their way",
    "tests/cases/TRN811/losses.py": "interfaces: formulas that have a function of their own",
    "tests/cases/TRN814/old_arguments.py": "old interfaces: renamed arguments, versions of torch",
}
"""Path from the root of the repository → what the file is there for."""


on_each_file = pytest.mark.each_file
"""One test a file, as its argument `path`; `make test` runs those of `CHOSEN`, `make nightly` all others."""


def parameters(*, nightly: bool) -> Iterator[object]:
    """The parameters of such a test; those of the nightly run only where it may take place."""
    for path in ALL_FILES:
        name = f"{path.parent.name}-{path.stem}"
        if path.relative_to(ROOT).as_posix() in CHOSEN:
            yield pytest.param(path, id=name)
        elif nightly:
            yield pytest.param(path, id=name, marks=pytest.mark.nightly)
