"""A piece parsed by itself is the node that a parse of the whole file gives."""

from __future__ import annotations

import ast
import importlib.util
import sysconfig
from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from tests.recursion import recursion_limit
from trainlint.fixing.layout import Unfixable, extent, layout
from trainlint.fixing.rewrite import expression, replace_expression, replace_simple_statement, simple_statement
from trainlint.source import SourceFile, decode_source, source_from_text

ROOT = Path(__file__).parents[2]
STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))


CHOSEN = {
    "trainlint/finding.py": "classes with annotations and decorators",
    "trainlint/cli/arguments.py": "calls over many lines",
    "trainlint/fixing/layout.py": "nested calls and comprehensions",
    "trainlint/report/why/text.py": "formatted strings",
    "json/decoder.py": "code of others: escapes, defaults that are calls, assignments of tuples",
    "contextlib.py": "code of others: decorators, `async`, positional-only parameters",
    "optim/sgd.py": "code of others: annotations over several lines, long calls",
}
"""Files that each run compares, by the end of their paths → what they hold. `make nightly` compares all."""


def real_files() -> list[Path]:
    files = sorted((ROOT / "trainlint").rglob("*.py")) + sorted((STANDARD_LIBRARY / "json").glob("*.py"))
    files += [STANDARD_LIBRARY / name for name in ("argparse.py", "contextlib.py", "textwrap.py")]
    torch = importlib.util.find_spec("torch")
    if torch and torch.origin:
        optim = Path(torch.origin).parent / "optim"
        files += [optim / name for name in ("adamw.py", "sgd.py", "lr_scheduler.py", "swa_utils.py")]
    return files


def is_chosen(path: Path) -> bool:
    return any(path.as_posix().endswith(f"/{end}") for end in CHOSEN)


def test_each_file_that_is_chosen_is_there() -> None:
    pytest.importorskip("torch", reason="one of the files is of PyTorch, which is not installed")
    assert len([path for path in real_files() if is_chosen(path)]) == len(CHOSEN)


class _Nodes(cst.CSTVisitor):
    """Calls and simple statements of a whole-file tree by where they start and stop."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, source: SourceFile) -> None:
        super().__init__()
        self.source = source
        self.calls: dict[tuple[int, int], cst.Call] = {}
        self.statements: dict[tuple[int, int], cst.BaseSmallStatement] = {}

    def _extent(self, node: cst.CSTNode) -> tuple[int, int]:
        place = self.get_metadata(PositionProvider, node)
        starts = self.source.line_starts
        return starts[place.start.line - 1] + place.start.column, starts[place.end.line - 1] + place.end.column

    def visit_Call(self, node: cst.Call) -> None:  # noqa: N802  # LibCST finds it by the name of the node
        self.calls[self._extent(node)] = node.with_changes(lpar=[], rpar=[])

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> None:  # noqa: N802  # LibCST finds it by the name of the node
        for statement in node.body:
            self.statements[self._extent(statement)] = statement.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)


def whole_file_nodes(source: SourceFile) -> _Nodes:
    nodes = _Nodes(source)
    MetadataWrapper(cst.parse_module(source.text), unsafe_skip_copy=True).visit(nodes)
    return nodes


def check_against_whole_file(source: SourceFile) -> int:
    """Compare every call and every simple statement; how many were compared."""
    whole = whole_file_nodes(source)
    compared = 0
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.Call) and not layout(source).inside_formatted_string(*extent(source, node)):
            expected = whole.calls[extent(source, node)]
            piece = expression(source, node)
            assert piece.deep_equals(expected), f"{source.path}:{node.lineno}"
            edit = replace_expression(source, node, piece)
            assert (edit.start, edit.text) == (edit.stop, ""), f"{source.path}:{node.lineno}"
            compared += 1
        elif isinstance(node, ast.Assign | ast.Expr | ast.Return | ast.Import | ast.ImportFrom):
            expected_statement = whole.statements.get(extent(source, node))
            if expected_statement is not None:
                statement = simple_statement(source, node)
                assert statement.deep_equals(expected_statement), f"{source.path}:{node.lineno}"
                edit = replace_simple_statement(source, node, statement)
                assert (edit.start, edit.text) == (edit.stop, ""), f"{source.path}:{node.lineno}"
                compared += 1
    return compared


@pytest.mark.parametrize("path", [path for path in real_files() if is_chosen(path)], ids=lambda path: path.name)
def test_every_piece_of_a_real_file_equals_its_node_in_the_whole_tree(path: Path) -> None:
    check_file(path)


@pytest.mark.nightly
def test_so_does_every_piece_of_all_files() -> None:
    for path in real_files():
        check_file(path)


def check_file(path: Path) -> None:
    source = decode_source(path.name, path.read_bytes())
    nodes = sum(isinstance(node, ast.Call) for node in ast.walk(ast.parse(source.text)))
    assert check_against_whole_file(source) >= nodes // 2, path


AWKWARD = """\
# -*- coding: utf-8 -*-
class Ä:
\tdef f(self, größe):
\t\tif (größe
\t\t        and self): self.g(größe,  # ä
\t\t\t1,

\t# less deep than the block
\t\t\t2)
\t\tfor x in (
\t\t\tself.f(größe)
\t\t\t.g(1)  # chain
\t\t\t.h()
\t\t): pass; self.h(x); self.i(\\
  x)
\t\tx = self.a \\
\t\t\t.b(größe)
\t\twith open("ü") as u, open(
\t\t\t\"\"\"ö
ö\"\"\") as o: print(u, o, sep=\"\"\"
\"\"\")
\t\tmatch self.h(x):
\t\t\tcase 1: self.f(
1)
\t\t\tcase _:
\t\t\t\tself.f(*x, **x)
\t\ttry: x(x for x in größe)
\t\texcept E: y(
\t\t\t# nothing
\t\t)
\t@decorated(1,
\t  2)
\tasync def g(self): return await self.f(1)
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_pieces_of_awkward_layouts_equal_their_nodes_too(newline: str) -> None:
    source = source_from_text("awkward.py", AWKWARD.replace("\n", newline))
    assert check_against_whole_file(source) >= 19


def test_a_form_feed_does_not_shift_pieces() -> None:
    source = source_from_text("feed.py", "import a\n\f\ndef f():\n    a.b(\n        1,\n    )\n\f\nf(2)\n")
    assert check_against_whole_file(source) == 5


def test_mixed_line_ends_survive() -> None:
    source = source_from_text("mixed.py", "a(\n  1,\r\n  2)\r\nb(\r\n  1,\n)\n")
    assert check_against_whole_file(source) == 4


def nth_call(source: SourceFile, name: str) -> ast.Call:
    calls = [node for node in ast.walk(ast.parse(source.text)) if isinstance(node, ast.Call)]
    return next(node for node in calls if ast.unparse(node.func) == name)


def test_a_piece_of_an_f_string_is_refused() -> None:
    source = source_from_text("f.py", 'print(f"loss {loss.item()}")\n')
    with pytest.raises(Unfixable, match="f-string"):
        expression(source, nth_call(source, "loss.item"))
    assert isinstance(expression(source, nth_call(source, "print")), cst.Call)


def test_a_slice_and_a_compound_statement_are_refused() -> None:
    source = source_from_text("s.py", "x[1:2]\nfor i in x: pass\n")
    tree = ast.parse(source.text)
    slices = [node for node in ast.walk(tree) if isinstance(node, ast.Slice)]
    with pytest.raises(Unfixable):
        expression(source, slices[0])
    with pytest.raises(Unfixable, match="not a simple one"):
        simple_statement(source, tree.body[1])


def test_code_too_deep_for_libcst_is_refused_and_raises_nothing_else() -> None:
    source = source_from_text("deep.py", "x = a" + ".b()" * 300 + "\n")
    call = ast.parse(source.text).body[0]
    assert isinstance(call, ast.Assign)
    with recursion_limit(), pytest.raises(Unfixable):
        expression(source, call.value)
