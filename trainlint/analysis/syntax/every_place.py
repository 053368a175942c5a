"""The place of every expression and statement of a file, for nodes that the outline has no list of."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.syntax.blocks import Block, Place
from trainlint.analysis.syntax.outline import Outline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

_Inner: TypeAlias = "dict[ast.AST, list[Block]]"
_Parts: TypeAlias = "Iterator[tuple[ast.AST | None, Block]]"
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def every_place(outline: Outline) -> Iterator[Place]:
    """Each statement and each expression, in the block that the outline's own places have."""
    inner: _Inner = {}
    for block in outline.blocks:
        inner.setdefault(block.node, []).append(block)
    for statement, block in outline.block_of.items():
        yield Place(statement, block, statement)
        stack = [item for item in _parts(statement, block, inner) if not isinstance(item[0], ast.stmt)]
        while stack:
            node, where = stack.pop()
            if isinstance(node, ast.expr):
                yield Place(node, where, statement)
            if node is not None:
                stack += _parts(node, where, inner)


def _parts(node: ast.AST, block: Block, inner: _Inner) -> _Parts:
    """What a node is made of, without the statements in it, each with the block in which it stands."""
    opened = inner.get(node)  # None in what the outline does not look into, such as annotations of parameters
    if isinstance(node, _COMPREHENSIONS):
        yield from _parts_of_comprehension(node, block, inner)
    elif opened and isinstance(node, ast.Lambda):
        yield from ((node.args, block), (node.body, opened[0]))
    elif opened and isinstance(node, ast.IfExp):
        yield from ((node.test, block), (node.body, opened[0]), (node.orelse, opened[1]))
    elif opened and isinstance(node, ast.BoolOp):
        yield node.values[0], block
        yield from ((value, opened[0]) for value in node.values[1:])
    elif opened and isinstance(node, ast.While):
        yield node.test, opened[0]
    elif opened and isinstance(node, ast.For | ast.AsyncFor):
        yield from ((node.iter, block), (node.target, opened[0]))
    elif opened and isinstance(node, ast.With | ast.AsyncWith):
        yield from ((item.context_expr, block) for item in node.items)
        yield from ((item.optional_vars, opened[0]) for item in node.items)
    elif opened and isinstance(node, ast.Match):
        yield from ((node.subject, block), *zip(node.cases, opened, strict=True))
    elif opened and isinstance(node, ast.Assert):
        yield from ((node.test, block), (node.msg, opened[0]))
    else:
        yield from ((child, block) for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt))


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
