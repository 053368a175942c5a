"""Code that runs instead of other code: what stands in the other branch, and whether a version decides."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import TYPE_CHECKING

from trainlint.analysis.conditions.guards import guards_around
from trainlint.analysis.conditions.provided_names import provides
from trainlint.analysis.conditions.subjects import words_in
from trainlint.analysis.conditions.versions import module_asked_for_names, speaks_of_version
from trainlint.analysis.syntax.blocks import Block, How, Place, Position
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import dotted, imported_names, last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.iterables import is_progress_bar

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

Extent = tuple[Position, Position]


def has_alternative(file: SemanticModel, node: ast.expr, block: Block, names: Collection[str]) -> bool:
    """Whether code that runs instead of `node` uses one of these dotted names, or the file provides one, as shims do.

    Instead of it runs: the other branch of an `if` or a conditional expression, the other parts of a `try`, and what
    an early `return` above it returns. All rules about deprecated names ask this.
    """
    if any(provides(file, names, old, block) for old in origins(node, block) if old is not None):
        return True
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
    tests = [guard.expression for guard in guards_around(block, everywhere=True)]
    return any(
        any(speaks_of_version(word) for word in words_in(test) if word != "hasattr" or not _asks_own_code(test, block))
        or any(module_asked_for_names(part) is not None for part in nodes_in(test))
        for test in tests
    )


def _asks_own_code(test: ast.expr, block: Block) -> bool:
    """Whether each `hasattr` of a test asks a function or class of the file what it has kept: `hasattr(draw, "table")`.

    That is how a function keeps a table between its calls; what a library has depends on its version.
    """
    asked = [
        part.args[0]
        for part in nodes_in(test)
        if isinstance(part, ast.Call) and last_name(part.func) == "hasattr" and part.args
    ]
    bound = [reaching(owner.id, block, position(owner)) if isinstance(owner, ast.Name) else [] for owner in asked]
    return bool(asked) and all(
        bindings and all(item.how in (How.FUNCTION, How.CLASS) for item in bindings) for bindings in bound
    )


def is_tried(file: SemanticModel, statement: ast.stmt) -> bool:
    """Whether a statement stands in a `try` that goes on in another way where it fails."""
    here = position(statement)
    return any(_contains_position(tried, here) for tried in _try_extents(file))


_PASSED_ON = frozenset({"KeyboardInterrupt", "SystemExit", "StopIteration", "OutOfMemoryError"})
"""Handlers of these let everything pass that an old name raises."""
_PASSING = frozenset("open no_sync accumulate nullcontext".split())
"""Contexts besides PyTorch's and progress bars that let pass whatever their code raises or warns of."""


def is_watched(file: SemanticModel, statement: ast.stmt, block: Block) -> bool:
    """Whether code around a statement may ask what it raises or warns of: a `try`, or a `with` of unknown kind."""
    here = position(statement)
    if any(_contains_position(tried, here) for tried in _catching(file)):
        return True
    contexts = (outer.node.items for outer in block.outwards() if isinstance(outer.node, ast.With | ast.AsyncWith))
    return not all(_lets_pass(item.context_expr, block) for items in contexts for item in items)


def _lets_pass(context: ast.expr, block: Block) -> bool:
    made = context.func if isinstance(context, ast.Call) else context
    name = last_name(made)
    return (
        name in _PASSING
        or is_progress_bar(name)
        or all((origin or "").startswith("torch.") for origin in origins(made, block))
    )


@once
def _catching(file: SemanticModel) -> list[Extent]:
    """The bodies of `try` whose handlers may be meant for what an old name raises."""
    found = (node for node in nodes_in(file.tree) if isinstance(node, ast.Try))
    return [
        _extent(node.body)
        for node in found
        if any(handler.type is None or last_name(handler.type) not in _PASSED_ON for handler in node.handlers)
    ]


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
