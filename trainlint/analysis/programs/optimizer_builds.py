"""Where optimizers are built, and from whose parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from trainlint.analysis.programs.wraps import assigned
from trainlint.analysis.syntax.blocks import Block, How, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import argument, dotted, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.types.values import Kind

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_LISTS = frozenset({"parameters", "named_parameters"})
_FOLLOWED = 3
"""How many names are followed from the optimizer to the list of parameters."""


class OptimizerBuild(NamedTuple):
    """One call that builds an optimizer of torch.optim, apex or bitsandbytes."""

    place: Place
    name: str | None
    """What it is called from here on, such as "self.optimizer"."""
    models: frozenset[str]
    """The models whose `parameters()` or `named_parameters()` it is given, by their dotted names."""


@once
def optimizer_builds(file: SemanticModel) -> dict[ast.Call, OptimizerBuild]:
    """The optimizers that the file builds by their imported names, as in `torch.optim.SGD(model.parameters())`."""
    found: dict[ast.Call, OptimizerBuild] = {}
    for place in file.outline.all_calls():
        call = place.node
        assert isinstance(call, ast.Call)
        if file.outline.imported(call.func, place.block) is None or not (call.args or call.keywords):
            continue
        value = file.kinds.of(call, place.block)
        given = argument(call, "params", 0)
        if value.kind is Kind.OPTIMIZER and value.proved and given is not None:
            models = frozenset(_models(file, given, place.block, _FOLLOWED))
            found[call] = OptimizerBuild(place, assigned(place), models)
    return found


def _models(file: SemanticModel, node: ast.expr, block: Block, depth: int) -> Iterator[str]:
    for part in nodes_in(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in _LISTS:
            owner = dotted(part.func.value)
            if owner is not None:
                yield owner
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and depth:
            for binding in reaching(part.id, block, position(part)):
                if binding.how is How.ASSIGN and binding.value is not None:
                    yield from _models(file, binding.value, binding.block, depth - 1)
