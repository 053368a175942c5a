"""Expressions that mean the same in each round of a loop."""

from __future__ import annotations

import ast
import textwrap

import pytest

from tests.analysis.facts import file_model
from trainlint_rules.data.idioms.unchanging import unchanging

SAME = {
    "given": True,
    "epoch": False,
    "8 * epoch": False,
    "Subset(given, range(10))": True,
    "load(given)": False,
    "inside": True,
    "depends": False,
    "grown": False,
    "given.rows": True,
    "given.stored": False,
    "[row for row in given]": False,
}


@pytest.mark.parametrize("asked", SAME)
def test_unchanging(asked: str) -> None:
    model = file_model(
        textwrap.dedent(f"""
            from torch.utils.data import Subset

            def train(given, epochs):
                grown = []
                for epoch in range(epochs):
                    inside = Subset(given, [1, 2])
                    depends = Subset(given, range(epoch))
                    grown.append(epoch)
                    given.stored = epoch
                    use({asked})
        """)
    )
    (place,) = model.outline.calls["use"]
    assert isinstance(place.node, ast.Call)
    assert unchanging(model, place.node.args[0], place.block) is SAME[asked]


def test_a_parameter_is_what_the_calls_in_the_loop_pass() -> None:
    model = file_model(
        textwrap.dedent("""
            def test(rows, number):
                use(rows)
                use(number)

            def main(rows):
                for epoch in range(10):
                    test(rows, epoch)
        """)
    )
    answers = [unchanging(model, place.node.args[0], place.block) for place in model.outline.calls["use"]]  # type: ignore[attr-defined]
    assert answers == [True, False]
