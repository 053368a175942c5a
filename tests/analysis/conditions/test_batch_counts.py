"""The numbers of batches that a test waits for."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model, marked
from trainlint.analysis.conditions.batch_counts import wait_around

LOOP = """
def train(loader, args, n):
    last = 0
    for i, batch in enumerate(loader):
        due = (i + 1) % n == 0
        rest = i % n
        if {test}:
            act()  #= here
"""


@pytest.mark.parametrize(
    ("test", "counts"),
    [
        ("(i + 1) % n == 0", ["n"]),
        ("due", ["n"]),
        ("not i % args.accum", ["args.accum"]),
        ("i - last >= args.accumulate", ["args.accumulate"]),
        ("i >= n", []),
        ("'%d' % n == batch.name", []),
    ],
)
def test_counts_in_tests(test: str, counts: list[str]) -> None:
    model = file_model(LOOP.format(test=test))
    _, block, _ = marked(model)[0]
    loop = next(outer for outer in block.outwards() if outer.kind.name == "LOOP")
    found = wait_around(block, loop)
    assert [ast.unparse(item) for item in found.counts] == counts if found is not None else not counts
