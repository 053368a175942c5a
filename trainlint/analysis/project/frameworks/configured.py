"""What constructors are given that a framework fills from a configuration, through a method of their class."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.project.summary import FunctionSummary
from trainlint.analysis.syntax.blocks import Function
from trainlint.analysis.syntax.literal_dicts import dict_items
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
        for key, value, block in dict_items(node, place.block, file.outline) if node is not None else ():
            known = file.kinds.of(value, block)
            if len(found) < _MOST and (known.access_paths or known.kind is not Kind.UNKNOWN):
                found[key] = known
    return found


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
    return any(takes_configuration(path.dotted) for path in constructor.decorators if path.start is Start.NAME)
