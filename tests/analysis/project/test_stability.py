"""Linking gives the same whatever the order of the files, the process and its hash seed; a change stays in its file."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.project.project import alone, each_step, linked
from trainlint.analysis.project.summarise import summarise
from trainlint.analysis.project.summary import Summary
from trainlint.analysis.types.imported_facts import ImportedFacts

FILES = {
    "train.py": each_step(
        "from mine import Trainer, build, log\ntrainer = build(config)", "trainer.update(loss)", "log(loss)"
    ),
    "evaluate.py": """
        import torch
        from mine import log
        from mine.parts import *

        with torch.no_grad():
            for batch in val_loader:
                log(One().score(batch.cuda()))
    """,
    "mine/__init__.py": "from .trainer import Trainer\nfrom .logs import *\nfrom .factory import build",
    "mine/trainer.py": """
        from .parts import One, Two

        class Trainer:
            def __init__(self, part=None):
                self.part = part or Two()

            def update(self, loss):
                self.part.score(loss)
                self.finish(loss)

            def finish(self, loss):
                raise NotImplementedError
    """,
    "mine/factory.py": """
        import torch
        from .parts import One
        from .trainer import Trainer

        class Mine(Trainer):
            def finish(self, loss):
                return torch.zeros(3, device="cuda"), loss

        def build(config):
            return Mine(One()) if config.mine else Trainer()
    """,
    "mine/parts.py": """
        class One:
            def score(self, x):
                return helper(x)

        class Two(One):
            def score(self, x):
                return helper(x), 3

        def helper(x):
            return x
    """,
    "mine/logs.py": """
        from . import trainer

        def log(*values):
            for value in values:
                print(value)
    """,
    "tests/test_mine.py": "from mine import build\nbuild(None).update(3)\n",
}


def summaries() -> dict[str, Summary]:
    """Summaries of the files, from models that know of nothing else."""
    return {path: summarise(model) for path, model in alone(FILES).items()}


def test_linking_twice_gives_the_same() -> None:
    found = summaries()
    assert linked(found) == linked(found)


@settings(max_examples=30, deadline=None)
@given(st.permutations(list(FILES)))
def test_the_order_of_files_does_not_matter(order: list[str]) -> None:
    found = summaries()
    assert linked({path: found[path] for path in order}) == linked(found)


def test_summaries_may_be_pickled() -> None:
    found = summaries()
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert linked(again) == linked(found)


def test_a_changed_file_changes_only_its_own_summary() -> None:
    before = summaries()
    changed = FILES | {"mine/parts.py": "class One:\n    def score(self, x):\n        return None\n"}
    after = {path: summarise(model) for path, model in alone(changed).items()}
    assert [path for path in FILES if before[path] != after[path]] == ["mine/parts.py"]


def test_lines_that_move_leave_a_summary_as_it_is() -> None:
    moved = alone(FILES | {"mine/trainer.py": "# A comment\n" + dedent(FILES["mine/trainer.py"])})
    assert summarise(moved["mine/trainer.py"]) == summaries()["mine/trainer.py"]


SCRIPT = """
import pickle, sys
from tests.analysis.project.test_stability import linked, summaries
found = pickle.load(sys.stdin.buffer) if sys.argv[1:] else summaries()
sys.stdout.buffer.write(pickle.dumps((found, linked(found))))
"""


def in_another_process(
    seed: str, given: dict[str, Summary] | None = None
) -> tuple[dict[str, Summary], dict[str, ImportedFacts]]:
    """Summaries, given or made there, and what linking them tells, in a process with a hash seed of its own."""
    root = Path(__file__).parents[2]
    paths = os.pathsep.join([str(root), str(root / "rules")])
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT, *(["given"] if given else [])],
        input=pickle.dumps(given),
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": paths},
        check=True,
        timeout=120,
    )
    summaries, told = pickle.loads(found.stdout)
    return summaries, told


def test_neither_the_process_nor_its_hash_seed_matters() -> None:
    here = summaries()
    told = linked(here)
    made_there = in_another_process("1")
    assert made_there == (here, told)
    assert in_another_process("2") == made_there
    assert in_another_process("3", here) == made_there
