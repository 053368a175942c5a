"""Which memory the batches of a loader share with what its dataset was made of."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model
from trainlint.analysis.effects.host_writes import written_afterwards
from trainlint.analysis.syntax.blocks import Place

CODE = """
from torch.utils.data import DataLoader


def train(rows, options):
    loader = DataLoader(rows, {options})
    for batch in loader:
        moved = batch.to("cuda")
    rows.zero_()
"""


@pytest.mark.parametrize(
    ("options", "shared"),
    [
        ("batch_size=4", False),
        ("4, shuffle=True", False),
        ("batch_size=None", True),
        ("None", True),
        ("4, collate_fn=list", True),
        ("**options", True),
        ("batch_size=None, pin_memory=True", False),
        ("4, collate_fn=list, pin_memory=True", False),
        ("batch_size=None, pin_memory=False", True),
    ],
)
def test_batches_that_are_stacked_or_pinned_are_copies(options: str, shared: bool) -> None:
    file = file_model(CODE.format(options=options))
    (place,) = file.outline.calls["to"]
    assert isinstance(place.node, ast.Call)
    assert isinstance(place.node.func, ast.Attribute)
    assert written_afterwards(file, place.node.func.value, Place(place.node, place.block, place.statement)) is shared
