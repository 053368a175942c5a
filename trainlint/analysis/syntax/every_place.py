"""The place of every expression and statement of a file, for nodes that the outline has no list of."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from trainlint.analysis.syntax.blocks import Block, Place
from trainlint.analysis.syntax.outline import Outline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

_Inner: TypeAlias = "dict[ast.AST, list[Block]]"
_Parts: TypeAlias = "Iterator[tuple[ast.AST | None, Block]]"
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def every_place(outline: Outline, among: Callable[[ast.stmt], bool] = lambda _: True) -> Iterator[Place]:
    """Each statement and each expression of it, in the block that the outline's own places have.

    `among` says of which statements.
    """
    inner: _Inner = {}
    for block in outline.blocks:
        inner.setdefault(block.node, []).append(block)
    for statement, block in outline.block_of.items():
        if not among(statement):
            continue
        yield Place(statement, block, statement)
        stack = list(_parts(statement, block, inner))
        while stack:
            node, where = stack.pop()
            if isinstance(node, ast.expr):
                yield Place(node, where, statement)
            if node is not None:
                stack += _parts(node, where, inner)


def _parts(node: ast.AST, block: Block, inner: _Inner) -> _Parts:
    """What a node is made of, without the statements in it, each with the block in which it stands."""
    if isinstance(node, _COMPREHENSIONS):
        return _parts_of_comprehension(node, block, inner)
    parts = _OPENING.get(type(node))
    opened = inner.get(node)  # None in what the outline does not look into, such as annotations of parameters
    if parts is not None and opened:
        return iter(parts(node, block, opened))
    return ((child, block) for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt))


def _parts_of_with(node: Any, block: Block, opened: list[Block]) -> list[tuple[ast.AST | None, Block]]:
    whole = [(item.context_expr, block) for item in node.items]
    return whole + [(item.optional_vars, opened[0]) for item in node.items]


_OPENING: dict[type[ast.AST], Callable[[Any, Block, list[Block]], Iterable[tuple[ast.AST | None, Block]]]] = {
    ast.Lambda: lambda node, block, opened: ((node.args, block), (node.body, opened[0])),
    ast.IfExp: lambda node, block, opened: ((node.test, block), (node.body, opened[0]), (node.orelse, opened[1])),
    ast.BoolOp: lambda node, block, opened: (
        (value, opened[0] if index else block) for index, value in enumerate(node.values)
    ),
    ast.While: lambda node, block, opened: ((node.test, opened[0]),),
    ast.For: lambda node, block, opened: ((node.iter, block), (node.target, opened[0])),
    ast.AsyncFor: lambda node, block, opened: ((node.iter, block), (node.target, opened[0])),
    ast.With: _parts_of_with,
    ast.AsyncWith: _parts_of_with,
    ast.Match: lambda node, block, opened: ((node.subject, block), *zip(node.cases, opened, strict=True)),
    ast.Assert: lambda node, block, opened: ((node.test, block), (node.msg, opened[0])),
}
"""The nodes that open blocks within a statement: their parts, by the block around them and those that they open."""


def _parts_of_comprehension(
    node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, block: Block, inner: _Inner
) -> _Parts:
    for generator in node.generators:
        yield generator.iter, block
        opened = inner.get(generator, [block])
        block = opened[0]
        yield generator.target, block
        for test, after in zip(generator.ifs, opened[1:] or [block] * len(generator.ifs), strict=False):
            yield test, block
            block = after
    yield from ((part, block) for part in ([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]))
