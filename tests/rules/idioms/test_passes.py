"""Where a file goes through a loader, whether again and again, with what workers and samplers."""

from __future__ import annotations

import ast
import textwrap

import pytest

from tests.analysis.facts import file_model
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.types.loaders import Loader
from trainlint_rules.data.idioms.passes import PassStart, passes
from trainlint_rules.data.idioms.samplers import passes_without_end, samplers_behind
from trainlint_rules.data.idioms.workers import Workers, takes_all_cores, workers

IMPORTS = "import os\nfrom torch.utils.data import DataLoader\n"
STEP = "loss = model(batch); loss.backward(); optimizer.step()"


def only_loader(code: str) -> tuple[SemanticModel, Loader]:
    model = file_model(IMPORTS + textwrap.dedent(code))
    (loader,) = model.loaders.built.values()
    return model, loader


PASSES = {
    f"loader = DataLoader(rows)\nfor epoch in range(9):\n    for batch in loader:\n        {STEP}": [
        (PassStart.LOOP, True)
    ],
    f"loader = DataLoader(rows)\nfor epoch in range(1):\n    for batch in loader:\n        {STEP}": [
        (PassStart.LOOP, False)
    ],
    f"for epoch in range(9):\n    for batch in DataLoader(rows):\n        {STEP}": [(PassStart.LOOP, False)],
    "def rows():\n    loader = DataLoader(rows)\n    while True:\n        yield from loader": [(PassStart.LOOP, True)],
    "def rows():\n    loader = DataLoader(rows)\n    yield from loader": [(PassStart.LOOP, False)],
    "loader = DataLoader(rows)\nfor name in names:\n    evaluate(models[name], loader)": [(PassStart.HANDED, False)],
    "loader = DataLoader(rows)\nprint(len(loader))": [],
}


@pytest.mark.parametrize("code", PASSES)
def test_passes(code: str) -> None:
    model, loader = only_loader(code)
    assert [(item.start, item.again) for item in passes(model, loader)] == PASSES[code]


def test_a_pass_in_a_function_that_each_epoch_calls_is_one_of_many() -> None:
    model, loader = only_loader(f"""
        def train(loader):
            for batch in loader:
                {STEP}

        def main():
            loader = DataLoader(rows)
            for epoch in range(10):
                train(loader)
    """)
    (found,) = passes(model, loader)
    assert found.again
    assert found.around is None


WORKERS = {
    "DataLoader(rows)": Workers.NONE,
    "DataLoader(rows, num_workers=0)": Workers.NONE,
    "DataLoader(rows, num_workers=4)": Workers.SOME,
    "DataLoader(rows, num_workers=os.cpu_count())": Workers.SOME,
    "DataLoader(rows, num_workers=args.workers)": Workers.LIKELY,
    "n = 4\nDataLoader(rows, num_workers=n)": Workers.SOME,
    "DataLoader(rows, num_workers=4 if fast else 0)": Workers.LIKELY,
    "DataLoader(rows, **options)": Workers.UNKNOWN,
    "parser.add_argument('--workers', default=0)\nDataLoader(rows, num_workers=args.workers)": Workers.OPTIONAL,
    "parser.add_argument('--n-cpu', default=8)\nDataLoader(rows, num_workers=args.n_cpu)": Workers.LIKELY,
    "def load(workers=0):\n    return DataLoader(rows, num_workers=workers)": Workers.OPTIONAL,
    "def load(workers=0):\n    return DataLoader(rows, num_workers=workers)\nload(2)": Workers.SOME,
}


@pytest.mark.parametrize("code", WORKERS)
def test_workers(code: str) -> None:
    assert workers(*only_loader(code)) is WORKERS[code]


CORES = {
    "DataLoader(rows, num_workers=os.cpu_count())": True,
    "DataLoader(rows, num_workers=os.cpu_count() or 1)": True,
    "DataLoader(rows, num_workers=len(os.sched_getaffinity(0)))": True,
    "n = os.cpu_count()\nDataLoader(rows, num_workers=n)": True,
    "DataLoader(rows, num_workers=min(8, os.cpu_count()))": False,
    "DataLoader(rows, num_workers=os.cpu_count() // ranks)": False,
    "DataLoader(rows, num_workers=len(rows))": False,
    "DataLoader(rows)": False,
}


@pytest.mark.parametrize("code", CORES)
def test_takes_all_cores(code: str) -> None:
    assert takes_all_cores(*only_loader(code)) is CORES[code]


SAMPLERS = {
    "DataLoader(rows)": [],
    "DataLoader(rows, sampler=None)": [],
    "chosen = Chosen(rows) if many else None\nDataLoader(rows, sampler=chosen)": ["Chosen(rows)"],
    "inner = Chosen(rows)\nDataLoader(rows, batch_sampler=BatchSampler(inner, 8))": [
        "BatchSampler(inner, 8)",
        "Chosen(rows)",
    ],
    "class Data:\n    def __init__(self):\n        self.chosen = Chosen(rows)\n    def load(self):\n"
    "        return DataLoader(rows, sampler=self.chosen)": ["Chosen(rows)"],
}


@pytest.mark.parametrize("code", SAMPLERS)
def test_samplers(code: str) -> None:
    assert [ast.unparse(node) for node, _ in samplers_behind(*only_loader(code))] == SAMPLERS[code]


ENDLESS = {
    "DataLoader(rows, sampler=RandomSampler(rows, True, 10**9))": True,
    "DataLoader(rows, sampler=RandomSampler(rows))": False,
    "DataLoader(rows, sampler=InfiniteSampler(rows))": True,
    "DataLoader(rows)": False,
}


@pytest.mark.parametrize("code", ENDLESS)
def test_passes_without_end(code: str) -> None:
    assert passes_without_end(*only_loader(code)) is ENDLESS[code]
