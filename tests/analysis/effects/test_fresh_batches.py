"""Which loaders give each batch memory of its own."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model
from trainlint.analysis.effects.host_memory.fresh_batches import yields_fresh_batches

CODE = """
from itertools import chain

from torch.utils.data import DataLoader, default_collate
from tqdm import tqdm

from elsewhere import collate, wrapped


def train(rows, size, nothing=None):
    loader = DataLoader(rows, {options})
    for batch in {over}:
        print(batch)
"""


@pytest.mark.parametrize(
    ("options", "over", "fresh"),
    [
        ("batch_size=4", "loader", True),
        ("4, shuffle=True", "loader", True),
        ("size", "loader", True),
        ("4, collate_fn=default_collate", "loader", True),
        ("4, collate_fn=None", "loader", True),
        ("4", "enumerate(tqdm(loader))", True),
        ("batch_size=None, pin_memory=True", "loader", False),
        ("None", "loader", False),
        ("nothing", "loader", False),
        ("4, collate_fn=list, pin_memory=True", "loader", False),
        ("4, collate_fn=collate", "loader", False),
        ("**rows", "loader", False),
        ("4", "list(loader)", False),
        ("4", "zip(loader, rows)", False),
        ("4", "chain(loader, rows)", False),
        ("4", "chain(loader, loader)", True),
        ("4", "wrapped(loader)", False),
        ("4", "loader if size else rows", False),
    ],
)
def test_batches_that_are_stacked_are_fresh(options: str, over: str, fresh: bool) -> None:
    file = file_model(CODE.format(options=options, over=over))
    (loop,) = file.outline.loops
    assert isinstance(loop.node, ast.For)
    assert yields_fresh_batches(file, loop.node.iter, loop.block) is fresh
