"""Models that are wrapped for several devices: DistributedDataParallel, FullyShardedDataParallel, `fully_shard`.

`fully_shard` changes the modules that it is given and hands them back; the two classes make a new module around the
old one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from trainlint.analysis.syntax.blocks import Place
from trainlint.analysis.syntax.names import argument, dotted
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
    origin = file.outline.imported(place.node.func, place.block)
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
