"""The start of a label: what can be told of a line by looking it up, with the judgement left open."""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

from benchmarks.accuracy.run import CannotScore, anchor, head_of, line_text, statement_lines

if TYPE_CHECKING:
    from pathlib import Path


def skeleton(clone: Path, repo: str, path: str, line: int) -> dict[str, object]:
    """A label of one line, to be filled in. Raises CannotScore where there is no such line or no clone."""
    text = line_text(clone / path, line)
    if text is None:
        raise CannotScore(f"{clone / path} has no line {line}")
    source = (clone / path).read_bytes().decode("utf-8", "replace")
    function, in_loop = _around(source, line)
    return {
        "repo": repo,
        "commit": head_of(clone),
        "path": path,
        "line": line,
        "issue": "",
        "verdict": "",
        "kind": "",
        "why": "",
        "confidence": "",
        "scope": "",
        "in_loop": in_loop,
        "func": function,
        "stmt": list(statement_lines(source, line)),
        "group": "",
        "line_sha1": anchor(text),
    }


def _around(source: str, line: int) -> tuple[str | None, bool]:
    """The innermost function around a line, and whether a loop of that function runs the line."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Old code has escapes that Python now warns of; that is not our subject.
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None, False
    function, in_loop = None, False
    node: ast.AST | None = tree
    while node is not None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function, in_loop = node.name, False
        elif isinstance(node, ast.For | ast.AsyncFor | ast.While):
            # The iterable of a `for` is evaluated once, and its `else` runs after the loop.
            in_loop = in_loop or node.body[0].lineno <= line <= (node.body[-1].end_lineno or line)
        node = next((child for child in ast.iter_child_nodes(node) if _holds(child, line)), None)
    return function, in_loop


def _holds(node: ast.AST, line: int) -> bool:
    return getattr(node, "lineno", line + 1) <= line <= (getattr(node, "end_lineno", None) or 0)
