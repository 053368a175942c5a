"""Models that are wrapped for several devices: DistributedDataParallel, FullyShardedDataParallel, `fully_shard`.

`fully_shard` changes the modules that it is given and hands them back; the two classes make a new module around the
old one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainlint.analysis.syntax.blocks import Binding, Block, How, Place
from trainlint.analysis.syntax.names import argument, dotted, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.uses import call_of
from trainlint.analysis.tables.module_methods import RETURN_SELF
from trainlint.analysis.tables.parallel import Wrapper, origins_of

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel


ORIGINS: dict[str, Wrapper] = {
    origin: wrapper for wrapper in (Wrapper.DDP, Wrapper.FSDP1, Wrapper.FSDP2) for origin in origins_of(wrapper)
}
"""By dotted origin: the wrappers that run one process for each device."""
_NAMES = frozenset(origin.rpartition(".")[2] for origin in ORIGINS)
SHARDING_ROOTS = ("torch.distributed.fsdp", "torch.distributed._composable.fsdp")
"""For the triggers of rules that look at each reference of a sharding wrapper."""
_FOLLOWED = 4
"""How many names are followed from a use back to the wrap."""


class Wrap(NamedTuple):
    """One call that wraps a model."""

    wrapper: Wrapper
    place: Place
    call: ast.Call
    module: ast.expr
    """What is wrapped, as it is written; for `fully_shard` the module, or a list of modules."""

    @property
    def result(self) -> str | None:
        """What the wrapped model is called from here on, such as "self.model"; None where the call is used at once."""
        return assigned(self.place) or (dotted(self.module) if self.wrapper is Wrapper.FSDP2 else None)


def wrap(file: SemanticModel, place: Place) -> Wrap | None:
    """The wrap that a call is; None for any other call."""
    if not isinstance(place.node, ast.Call):
        return None
    origin = file.kinds.imported(place.node.func, place.block)
    wrapper = ORIGINS.get(origin) if origin is not None else None
    module = argument(place.node, "module", 0)
    return Wrap(wrapper, place, place.node, module) if wrapper is not None and module is not None else None


def wraps(file: SemanticModel) -> Iterator[Wrap]:
    """Every wrap of the file, those of one name in source order."""
    for name in sorted(called(file)):
        for place in file.outline.calls.get(name, ()):
            found = wrap(file, place)
            if found is not None:
                yield found


def called(file: SemanticModel) -> set[str]:
    """The last words by which the file calls the wrappers, such as "FSDP" where it imports one under this name."""
    return {*_NAMES, *(local for local, origin in file.outline.imports.items() if origin in ORIGINS)}


def assigned(place: Place) -> str | None:
    """The one name, or chain of names, that a statement gives exactly the value of a call; else None."""
    statement = place.statement
    if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is not place.node:
        return None
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return dotted(targets[0]) if len(targets) == 1 else None


def wrap_of(file: SemanticModel, model: ast.expr, block: Block) -> Wrap | None:
    """The wrap that surely made what an expression holds; None where it may hold anything else.

    Names are followed to what they were assigned, attributes of `self` to all that the class assigns to them, and
    parameters to all calls in the file.
    """
    return _Search(file).of(model, block, position(model), _FOLLOWED)


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    file: SemanticModel

    def of(self, model: ast.expr, block: Block, at: tuple[int, int], depth: int) -> Wrap | None:
        if not depth:
            return None
        if isinstance(model, ast.Call):
            return self._of_call(model, block, depth)
        in_place = self._sharded_before(model, block, at)
        if in_place is not None:
            return in_place
        bindings = self._bindings(model, block, at)
        return _common_wrap([self._of_binding(binding, depth) for binding in bindings])

    def _of_call(self, call: ast.Call, block: Block, depth: int) -> Wrap | None:
        place = call_of(self.file, call.func)
        direct = wrap(self.file, place) if place is not None else None
        if direct is not None:
            return direct
        inner: ast.expr | None = None
        if self.file.kinds.imported(call.func, block) == "torch.compile":
            inner = argument(call, "model", 0)
        elif isinstance(call.func, ast.Attribute) and call.func.attr in RETURN_SELF:
            inner = call.func.value
        return self.of(inner, block, position(inner), depth - 1) if inner is not None else None

    def _sharded_before(self, model: ast.expr, block: Block, at: tuple[int, int]) -> Wrap | None:
        """The call of `fully_shard` that surely ran on the model, by this name, in the same function."""
        name = dotted(model)
        for found in wraps(self.file):
            place = found.place
            if found.wrapper is Wrapper.FSDP2 and name is not None and dotted(found.module) == name:
                if block.scope is place.block.scope and block.within(place.block) and position(found.call) < at:
                    return found
        return None

    def _bindings(self, model: ast.expr, block: Block, at: tuple[int, int]) -> list[Binding]:
        if isinstance(model, ast.Name):
            return reaching(model.id, block, at)
        if not isinstance(model, ast.Attribute) or not isinstance(model.value, ast.Name):
            return []
        owner = self.file.graph.self_class(model.value, block)
        return _lasting(owner.attributes.get(model.attr, [])) if owner is not None else []

    def _of_binding(self, binding: Binding, depth: int) -> Wrap | None:
        if binding.how is How.PARAMETER:
            return self._of_parameter(binding, depth)
        if binding.how is not How.ASSIGN or binding.value is None or binding.path:
            return None
        return self.of(binding.value, binding.block, position(binding.value), depth - 1)

    def _of_parameter(self, binding: Binding, depth: int) -> Wrap | None:
        """What all calls of the function in the file give for a parameter."""
        function = self.file.outline.function_of.get(binding.block.node)
        edges = self.file.graph.callers.get(function, []) if function is not None else []
        if function is None or not edges or any(edge.passed for edge in edges):
            return None
        found: list[Wrap | None] = []
        for edge in edges:
            assert isinstance(edge.place.node, ast.Call)
            given = function.argument_in(edge.place.node, binding.name)
            found.append(self.of(given, edge.place.block, position(given), depth - 1) if given is not None else None)
        return _common_wrap(found)


def _common_wrap(found: list[Wrap | None]) -> Wrap | None:
    """The first, where all are wraps of one kind."""
    first = found[0] if found else None
    if first is None or any(item is None or item.wrapper is not first.wrapper for item in found):
        return None
    return first


def _lasting(bindings: list[Binding]) -> list[Binding]:
    """The bindings of an attribute that no later statement of the same function surely overwrites."""
    return [
        item
        for item in bindings
        if not any(
            other.position > item.position and other.block.scope is item.block.scope and item.block.within(other.block)
            for other in bindings
        )
    ]
