"""LibCST nodes of the smallest piece of a file, and the way back into its text.

Only the piece is parsed, set into the block indentation it has in the file, so that its node is the one which a
parse of the whole file gives, in a hundredth of the time.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING

from trainlint.finding import Edit
from trainlint.fixing.layout import Unfixable, extent, layout
from trainlint.fixing.parse_module import NotParsed, parse_module
from trainlint.source import SourceFile

if TYPE_CHECKING:
    import libcst as cst


def expression(source: SourceFile, node: ast.expr) -> cst.BaseExpression:
    """The LibCST node of an expression, without parentheses around it (a tuple's own are part of it).

    Raises Unfixable where the piece cannot be parsed by itself, as inside an f-string or a subscript's slice.
    """
    start, stop = expression_extent(source, node)
    statement = _parse(source, start, stop, f"({source.text[start:stop]})")
    parsed = getattr(statement, "value", None)
    if parsed is None or not parsed.lpar:
        raise Unfixable(f"the expression at line {node.lineno} of {source.path} does not stand by itself")
    without: cst.BaseExpression = parsed.with_changes(lpar=parsed.lpar[1:], rpar=parsed.rpar[:-1])
    return without


def simple_statement(source: SourceFile, node: ast.stmt) -> cst.BaseSmallStatement:
    """The LibCST node of a simple statement, without a semicolon or comment after it.

    Raises Unfixable for a compound statement, such as a loop or a function.
    """
    if hasattr(node, "body") or isinstance(node, ast.Match):
        raise Unfixable(f"the statement at line {node.lineno} of {source.path} is not a simple one")
    start, stop = extent(source, node)
    return _parse(source, start, stop, source.text[start:stop])


def replace_simple_statement(
    source: SourceFile, node: ast.stmt, new: cst.BaseSmallStatement, moved: Collection[str] = ()
) -> Edit:
    """Put `new` where the simple statement stands; a semicolon or comment after it stays.

    Raises Unfixable where a comment inside it would be lost that is not among those that are `moved` elsewhere.
    """
    start, stop = extent(source, node)
    return splice(source, start, stop, generate(source, start, stop, new), moved)


def expression_extent(source: SourceFile, node: ast.expr) -> tuple[int, int]:
    """The offsets where an expression starts and stops. Raises Unfixable inside an f-string."""
    start, stop = extent(source, node)
    if layout(source).inside_formatted_string(start, stop):
        # Before Python 3.12 positions in there are doubtful, and quotes and backslashes may not be written.
        raise Unfixable(f"the expression at line {node.lineno} of {source.path} stands inside an f-string")
    return start, stop


def generate(source: SourceFile, start: int, stop: int, statement: cst.BaseSmallStatement) -> str:
    """The code of a statement, with the file's line ends and the block indentation of the characters [start, stop)."""
    import libcst as cst

    indentation = _indentation(source, start, stop)
    line = cst.SimpleStatementLine([statement])
    block = cst.If(cst.Name("_"), cst.IndentedBlock([line], indent=indentation)) if indentation else line
    code = cst.Module([block], default_newline=source.newline).code
    header = _header(source, indentation)
    return code[len(header) : len(code) - len(source.newline)]


def splice(source: SourceFile, start: int, stop: int, code: str, moved: Collection[str] = ()) -> Edit:
    """The smallest edit that makes the characters [start, stop) read `code`.

    Raises Unfixable where a comment would be lost that is not among those that are `moved` elsewhere.
    """
    old = source.text[start:stop]
    if lost := set(lost_comments(old, code)).difference(moved):
        line = source.position(start)[0]
        raise Unfixable(f"the fix at line {line} of {source.path} would lose the comment {min(lost)!r}")
    shortest = min(len(old), len(code))
    head = next((index for index in range(shortest) if old[index] != code[index]), shortest)
    tail = next((index for index in range(shortest - head) if old[-1 - index] != code[-1 - index]), shortest - head)
    return Edit(start + head, stop - tail, code[head : len(code) - tail])


def lost_comments(old: str, new: str) -> list[str]:
    """The comments of a piece of code that another piece does not hold as often, in the order of the first piece."""
    if "#" not in old:
        return []
    kept = Counter(_comments(new))
    lost = []
    for comment in _comments(old):
        kept[comment] -= 1
        if kept[comment] < 0:
            lost.append(comment)
    return lost


def _comments(code: str) -> list[str]:
    """The comments of an expression or a simple statement. Raises Unfixable where the code cannot be read."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(f"({code}\n)\n").readline))
    except (tokenize.TokenError, SyntaxError) as error:
        raise Unfixable("the comments of a piece cannot be told") from error
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def _parse(source: SourceFile, start: int, stop: int, code: str) -> cst.BaseSmallStatement:
    import libcst as cst

    # The first line end tells LibCST the file's own, and a block header tells it the indentation.
    newline = source.newline
    text = f"{newline}{_header(source, _indentation(source, start, stop))}{code}{newline}"
    try:
        module = parse_module(text)
        survives = module.code == text
    except (NotParsed, RecursionError) as error:
        raise Unfixable(f"a piece of {source.path} does not parse by itself") from error
    line: cst.CSTNode = module.body[0]
    if isinstance(line, cst.If):
        line = line.body.body[0]
    if not survives or not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        raise Unfixable(f"LibCST does not give back a piece of {source.path} as it stands")
    return line.body[0]


def _header(source: SourceFile, indentation: str) -> str:
    return f"if _:{source.newline}{indentation}" if indentation else ""


def _indentation(source: SourceFile, start: int, stop: int) -> str:
    place = layout(source).around(start, stop)
    return place.indentation if place else ""
