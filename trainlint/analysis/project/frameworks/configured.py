"""What constructors are given that a framework fills from a configuration, through a method of their class."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.project.summary import FunctionSummary
from trainlint.analysis.syntax.blocks import Block, Function, How, Place
from trainlint.analysis.syntax.names import constant, last_name, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.frameworks.trainers import FROM_CONFIGURATION, takes_configuration
from trainlint.analysis.types.access_paths import Start
from trainlint.analysis.types.values import Kind, Value

if TYPE_CHECKING:
    from trainlint.analysis.project.following import Follower
    from trainlint.analysis.semantic_model import SemanticModel

_MOST = 60
"""Of the items of one dict, as many are looked at."""
_CONSTRUCTOR = "__init__"


def arguments_returned(file: SemanticModel, function: Function) -> dict[str, Value]:
    """The arguments of a constructor that a method returns as a dict; nothing for other functions."""
    if function.owner is None or function.name != FROM_CONFIGURATION or not function.is_decorated("classmethod"):
        return {}
    found: dict[str, Value] = {}
    for place in function.returns:
        node = place.node.value if isinstance(place.node, ast.Return) else None
        for key, value, block in _items(file, node, place.block) if node is not None else ():
            known = file.kinds.of(value, block)
            if len(found) < _MOST and (known.access_paths or known.kind is not Kind.UNKNOWN):
                found[key] = known
    return found


def _items(file: SemanticModel, node: ast.expr, block: Block) -> Iterator[tuple[str, ast.expr, Block]]:
    """The items of a dict that is written out, or filled key by key, with the blocks in which their values stand."""
    if not isinstance(node, ast.Name):
        yield from _written(node, block)
        return
    for binding in reaching(node.id, block, position(node)):
        if binding.how is How.ASSIGN and not binding.path and binding.value is not None:
            yield from _written(binding.value, binding.block)
    for put in file.outline.fillings.get(node.id, ()):
        if put.block.scope is block.scope and isinstance(put.node, ast.expr):
            yield from ((key, put.node, put.block) for key in _keys_of(put))


def _written(node: ast.expr, block: Block) -> Iterator[tuple[str, ast.expr, Block]]:
    """The items of `{"width": 3}` and `dict(width=3)`."""
    if isinstance(node, ast.Dict):
        yield from ((key, value, block) for at, value in zip(node.keys, node.values, strict=True) if (key := _key(at)))
    elif isinstance(node, ast.Call) and last_name(node) == "dict":
        yield from ((item.arg, item.value, block) for item in node.keywords if item.arg is not None)


def _keys_of(put: Place) -> list[str]:
    """The keys under which a statement stores something in a dict."""
    targets = put.statement.targets if isinstance(put.statement, ast.Assign) else []
    return [key for item in targets if isinstance(item, ast.Subscript) and (key := _key(item.slice))]


def _key(node: ast.expr | None) -> str:
    written = constant(node) if node is not None else None
    return written if isinstance(written, str) else ""


def given_by_configuration(follower: Follower) -> Iterator[tuple[int, str, int, dict[str, Value]]]:
    """Constructors that a framework fills: file and key, then the file that gives the arguments, and these."""
    for file, summary in enumerate(follower.summaries):
        for name, cls in summary.classes.items():
            key = cls.methods.get(FROM_CONFIGURATION)
            given = summary.functions[key].arguments if key is not None else {}
            constructor = follower.classes.method(file, name, _CONSTRUCTOR) if given else None
            if constructor is not None and _is_filled(follower.summaries[constructor[0]].functions[constructor[1]]):
                yield *constructor, file, dict(given)


def _is_filled(constructor: FunctionSummary) -> bool:
    """Whether a decorator fills a constructor from a configuration."""
    return any(
        takes_configuration(".".join((path.of, *map(str, path.path))))
        for path in constructor.decorators
        if path.start is Start.NAME
    )
