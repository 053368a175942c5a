"""One walk finds who stands where, whatever the shape of the file."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.analysis.facts import file_model
from tests.recursion import recursion_limit
from trainlint.analysis.syntax.blocks import BlockKind, How
from trainlint.analysis.syntax.walk import outline


def bound(code: str, name: str) -> list[How]:
    return [binding.how for binding in file_model(code).outline.module.scope.bindings.get(name, [])]


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("x = 1", How.ASSIGN),
        ("x: int = 1", How.ASSIGN),
        ("x += 1", How.AUGMENT),
        ("(a, [x, b]) = c", How.ASSIGN),
        ("a, *x = c", How.ASSIGN),
        ("if (x := f()): pass", How.ASSIGN),
        ("for x in y: pass", How.FOR),
        ("for i, (x, z) in y: pass", How.FOR),
        ("with f() as x: pass", How.WITH),
        ("import x", How.IMPORT),
        ("from a import b as x", How.IMPORT),
        ("def x(): pass", How.FUNCTION),
        ("class x: pass", How.CLASS),
        ("try: pass\nexcept E as x: pass", How.OTHER),
        ("match v:\n    case [x, *_]: pass", How.OTHER),
        ("def f():\n    global x\n    x = 1", How.ASSIGN),
    ],
)
def test_every_way_to_bind_a_name_is_seen(code: str, how: How) -> None:
    assert bound(code, "x") == [how]


def test_names_of_inner_scopes_do_not_leak() -> None:
    code = "def f(x): pass\ng = lambda x: x\nh = [x for x in y]\nclass C:\n    x = 1"
    assert bound(code, "x") == []


def test_imports_resolve_to_where_they_come_from() -> None:
    model = file_model("""
        import torch as th
        import torch.nn
        from torch.utils import data as d
        from . import helper
        from ..pkg import f
    """)
    assert model.outline.imports == {
        "th": "torch",
        "torch": "torch",
        "d": "torch.utils.data",
        "helper": ".helper",
        "f": "..pkg.f",
    }


def test_calls_are_found_by_their_last_word_with_their_block() -> None:
    model = file_model("""
        for batch in loader:
            if ready:
                a.b.item()
        value = [t.item() for t in ts]
    """)
    first, second = model.outline.calls["item"]
    assert [block.kind for block in first.block.outwards()] == [BlockKind.BRANCH, BlockKind.LOOP, BlockKind.MODULE]
    assert second.block.kind is BlockKind.LOOP


def test_code_after_an_early_exit_stands_under_the_opposite_test() -> None:
    model = file_model("""
        def f(x):
            if x:
                return
            g()
    """)
    [place] = model.outline.calls["g"]
    assert (place.block.kind, place.block.negated, place.block.after_exit) == (BlockKind.BRANCH, True, True)


def test_attributes_of_self_are_gathered_from_all_methods_and_closures() -> None:
    model = file_model("""
        class Trainer:
            kind = "plain"

            def __init__(self):
                self.model, self.optimizer = build()

            def fit(self):
                def closure():
                    self.loss = 0
                closure()
    """)
    assert sorted(model.outline.classes["Trainer"].attributes) == ["kind", "loss", "model", "optimizer"]


def test_a_chain_of_a_thousand_branches_and_a_sum_of_five_thousand_terms_are_walked() -> None:
    # elif nests in the tree without nesting in the text, and so do operators
    branches = "if x == 0:\n    f()\n" + "".join(f"elif x == {n}:\n    f()\n" for n in range(1, 1000))
    assert len(outline(_deep_parse(branches)).calls["f"]) == 1000
    terms = " + ".join("f()" for _ in range(5000))
    assert len(outline(_deep_parse(f"x = {terms}")).calls["f"]) == 5000


def _deep_parse(code: str) -> ast.Module:
    with recursion_limit(100_000):
        return ast.parse(code)


def test_every_call_of_real_files_is_found_once() -> None:
    for path in sorted(Path(ast.__file__).parent.glob("*.py"))[:15]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        expected = {node for node in ast.walk(tree) if isinstance(node, ast.Call)}
        found = [place.node for place in outline(tree).all_calls()]
        assert len(found) == len(set(found)) == len(expected), path
        statements = {node for node in ast.walk(tree) if isinstance(node, ast.stmt)}
        assert set(outline(tree).block_of) == statements, path
