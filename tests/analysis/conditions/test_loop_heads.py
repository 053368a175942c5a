"""What heads of loops say."""

from __future__ import annotations

import ast

import pytest

from trainlint.analysis.conditions.loop_heads import names_in_head, never_ends


@pytest.mark.parametrize(
    ("loop", "endless"),
    [("while True: pass", True), ("while 1: pass", True), ("while 0: pass", False), ("while step < n: pass", False)],
)
def test_loops_without_end(loop: str, endless: bool) -> None:
    assert never_ends(ast.parse(loop).body[0]) is endless


@pytest.mark.parametrize(
    ("loop", "names"),
    [
        ("for i in range(n): pass", ["i", "range", "n"]),
        ("while step < n: pass", ["step", "n"]),
        ("x = 1", []),
    ],
)
def test_names_in_heads(loop: str, names: list[str]) -> None:
    assert names_in_head(ast.parse(loop).body[0]) == names
