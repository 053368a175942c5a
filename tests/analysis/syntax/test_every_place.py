"""Every expression and statement has a place, the one that the outline's own lists give it."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.chosen_cases import on_each_file
from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.every_place import every_place
from trainlint.analysis.syntax.outline import Outline
from trainlint.analysis.syntax.walk import outline

ODD = """\
class A(Base, key=lambda self: self.x() if self else 0):
    def f(self, n: (lambda: 1) = g(lambda: h())):
        while n() and m(): pass
        for n().x in p(): pass
        assert n(), m()
        with a() as b().c: return [x() for y in z() if p() if q() for r in s() if t()]
        try: pass
        except (A() or B()): c()
        return {k(): v() for k in d()}
if a(): exit()
match f():
    case B(x=1) if g(): h()
(lambda x=d(): e(x))(f"{g() if h() else i()}")
"""


def of_outline(seen: Outline) -> list[Place]:
    listed = [seen.reads, seen.subscripts, seen.references, seen.loops, *seen.dicts.values()]
    return [*seen.all_calls(), *(place for places in listed for place in places)]


def differing(text: str) -> list[str]:
    """The expressions and statements whose place is missing or another one."""
    seen = outline(ast.parse(text))
    known = {place.node: (place.block, place.statement) for place in every_place(seen)}
    return [
        f"{getattr(place.node, 'lineno', '?')}: {ast.unparse(place.node)}"
        for place in of_outline(seen)
        if isinstance(place.node, ast.expr | ast.stmt) and known.get(place.node) != (place.block, place.statement)
    ]


@on_each_file
def test_real_code_has_the_places_of_the_outline(path: Path) -> None:
    assert differing(path.read_text(encoding="utf-8")) == []


def test_each_form_that_opens_a_block_within_a_statement_is_known() -> None:
    assert differing(ODD) == []


def test_each_expression_and_statement_comes_once() -> None:
    tree = ast.parse(ODD)
    found = [place.node for place in every_place(outline(tree))]
    wanted = [node for node in ast.walk(tree) if isinstance(node, ast.expr | ast.stmt)]
    assert len(found) == len(wanted)
    assert set(found) == set(wanted)
