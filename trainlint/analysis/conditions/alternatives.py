"""Code that runs instead of other code: what stands in the other branch, and whether a version decides."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.guards import guards_around
from trainlint.analysis.syntax.blocks import Block, How, Place, Position
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import NAMES, dotted, imported_names, names_in, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

Extent = tuple[Position, Position]
_VERSION = lazy(
    r"version|hasattr|find_spec|signature|torch_?\d|torch_(ge|gt|le|lt|greater|less)|_TORCH|TORCH_", re.IGNORECASE
)
"""Names in tests of versions, and of what a library offers: `torch.__version__ >= ...`, `hasattr(torch, "compile")`."""


def has_alternative(file: SemanticModel, node: ast.expr, block: Block, names: Collection[str]) -> bool:
    """Whether code that runs instead of `node` uses one of these dotted names.

    Instead of it runs: the other branch of an `if` or a conditional expression, the other parts of a `try`, and what
    an early `return` above it returns. All rules about deprecated names ask this.
    """
    uses = _uses(file, frozenset(names))
    if not uses:
        return False
    if _in_other_part(file, position(node), uses):
        return True
    exits = [item.node for item in block.outwards() if item.after_exit]
    return any(_contains_position(_extent([item]), use) for item in exits if isinstance(item, ast.stmt) for use in uses)


def _in_other_part(file: SemanticModel, here: Position, uses: list[Position]) -> bool:
    """Whether one of the uses stands in a part that runs instead of the part of the same statement that is here."""
    for parts in _switches(file):
        own = [part for part in parts if _contains_position(part, here)]
        if own and any(_contains_position(part, use) for part in parts if part not in own for use in uses):
            return True
    return False


def depends_on_version(block: Block) -> bool:
    """Whether a block runs only behind a test of a version or of what a module has."""
    tests = (guard.expression for guard in guards_around(block, everywhere=True))
    return any(_speaks_of_version(name) for test in tests for name in names_in(test))


@lru_cache(NAMES)
def _speaks_of_version(name: str) -> bool:
    return bool(_VERSION.search(name))


def is_tried(file: SemanticModel, statement: ast.stmt) -> bool:
    """Whether a statement stands in a `try` that goes on in another way where it fails."""
    here = position(statement)
    return any(_contains_position(tried, here) for tried in _try_extents(file))


@once
def _try_extents(file: SemanticModel) -> list[Extent]:
    found = (node for node in nodes_in(file.tree) if isinstance(node, ast.Try) and node.handlers)
    return [(position(node), position(node.handlers[-1].body[-1])) for node in found]


def origins(name: ast.expr, block: Block) -> set[str | None]:
    """All that a chain of names can stand for: dotted origins of imports, and None for anything else.

    A name that a version switch imports from two places has two origins.
    """
    written = dotted(name)
    if written is None:
        return {None}
    root, _, rest = written.partition(".")
    found: set[str | None] = set()
    for binding in reaching(root, block, position(name)):
        if binding.how is How.IMPORT and isinstance(binding.node, ast.Import | ast.ImportFrom):
            meaning = dict(imported_names(binding.node)).get(root)
            found.add(f"{meaning}.{rest}" if rest and meaning else meaning)
        else:
            found.add(None)
    return found


@once
def _uses(file: SemanticModel, names: frozenset[str]) -> list[Position]:
    """Where the file uses one of these dotted names, or imports it."""
    used = (place.node for place in file.outline.references if _names(place) & names)
    statements = (place.node for place in file.outline.import_statements if isinstance(place.node, ast.ImportFrom))
    imported = (node for node in statements if any(origin in names for _, origin in imported_names(node)))
    return [position(node) for node in (*used, *imported) if isinstance(node, ast.expr | ast.ImportFrom)]


def _names(place: Place) -> set[str | None]:
    return origins(place.node, place.block) if isinstance(place.node, ast.expr) else set()


@once
def _switches(file: SemanticModel) -> list[list[Extent]]:
    """Where the parts stand of which only one runs, or one runs after another failed."""
    found: list[list[Extent]] = []
    for node in nodes_in(file.tree):
        if isinstance(node, ast.If) and node.orelse:
            found.append([_extent(node.body), _extent(node.orelse)])
        elif isinstance(node, ast.IfExp):
            found.append([_extent([node.body]), _extent([node.orelse])])
        elif isinstance(node, ast.Try):
            parts = [node.body, *(handler.body for handler in node.handlers), node.orelse]
            found.append([_extent(part) for part in parts if part])
    return found


def _extent(nodes: list[ast.stmt] | list[ast.expr]) -> Extent:
    last = nodes[-1]
    return position(nodes[0]), (last.end_lineno or last.lineno, last.end_col_offset or 0)


def _contains_position(extent: Extent, place: tuple[int, int]) -> bool:
    return extent[0] <= place < extent[1]
