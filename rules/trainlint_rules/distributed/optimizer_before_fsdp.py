"""TRN512."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.optimizer_builds import OptimizerBuild, optimizer_builds
from trainlint.analysis.programs.wraps import SHARDING_ROOTS, Wrap, wrap
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Binding, Block
from trainlint.analysis.syntax.names import (
    argument,
    constant,
    dotted,
    has_unpacked_arguments,
    last_name,
    nodes_in,
    position,
)
from trainlint.analysis.syntax.uses import call_of
from trainlint.analysis.tables.parallel import Wrapper, name_of
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_SAME_MODULE = frozenset({"to", "cuda", "cpu", "train", "eval", "half", "bfloat16", "float"})
_RELINKED = lazy(r"prepare|swap|relink|remap|rebuild|re_?init|replace|update_param|initialize|setup|shard|wrap")
"""Functions that may put the sharded parameters into an optimizer that exists already."""


class OptimizerBeforeFsdp(Rule):
    """An optimizer built from parameters that FSDP replaces afterwards, so that its steps change nothing

    ## Why
    FSDP replaces the parameters of a model: `FullyShardedDataParallel` by flattened pieces, `fully_shard` by DTensors.
    An optimizer that was built before still holds the old ones, which get no gradients and which no forward reads.
    Nothing fails: the loss is computed, gradients flow, `step()` returns, and the model stays as it was initialised.

    ## Example
    ```python
    import torch
    from torch.distributed.fsdp import fully_shard


    def train(model, criterion, loader):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
        for layer in model.layers:
            fully_shard(layer)
        fully_shard(model)
        for inputs, targets in loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Use instead
    ```python
    import torch
    from torch.distributed.fsdp import fully_shard


    def train(model, criterion, loader):
        for layer in model.layers:
            fully_shard(layer)
        fully_shard(model)
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
        for inputs, targets in loader:
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    ```

    ## Stays silent
    For `FullyShardedDataParallel(..., use_orig_params=True)`, which keeps the parameters' identity, and for
    DistributedDataParallel, which does, too; where the optimizer is built again, its `param_groups` are written or read
    after the wrap, or it is handed to something that prepares it; where wrap and optimizer stand in different branches.

    ## Confirmed by
    No parameter of the model changes in a step, and the parameters in `optimizer.param_groups` are other objects than
    those of `model.parameters()`.

    ## Gain
    A model that trains. In a run of one linear layer on the CPU with PyTorch 2.13, one step of SGD changed the weights
    by 0.0 where the optimizer was built first, and by 0.2 where it was built after the wrap, with both APIs.

    ## References
    - `FullyShardedDataParallel`, which warns that the optimizer must be initialised after the wrap:
      https://docs.pytorch.org/docs/stable/fsdp.html
    - `fully_shard`: https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html
    """

    code = "TRN512"
    name = "optimizer-before-fsdp"
    severity = Severity.ERROR
    preview = True
    heat_matters = False
    triggers = Triggers(references=SHARDING_ROOTS)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find wraps of a model from whose parameters the same function has built an optimizer before."""
        place = call_of(site.file, site.node)
        found = wrap(site.file, place) if place is not None else None
        if found is None or not _replaces_parameters(found):
            return
        model = _name(found.module)
        if model is None:
            return
        for build in optimizer_builds(site.file).values():
            if model in build.models and _is_stale(site.file, build, found, model):
                how = name_of(found.wrapper)
                yield self.finding(
                    site.at(build.place.node, build.place.block),
                    f"this optimizer holds the parameters of `{model}` from before `{how}` replaces them in line "
                    f"{found.call.lineno}: its steps will not change the model; build it after the wrap",
                    at=build.place.node,
                    confidence=0.9,
                )


def _replaces_parameters(found: Wrap) -> bool:
    if found.wrapper is Wrapper.FSDP2:
        return True
    kept = argument(found.call, "use_orig_params", 13)
    return not has_unpacked_arguments(found.call) and (kept is None or constant(kept) is False)


def _name(module: ast.expr) -> str | None:
    """The wrapped model's name, also below `.to(device)` and its like."""
    while isinstance(module, ast.Call) and isinstance(module.func, ast.Attribute) and module.func.attr in _SAME_MODULE:
        module = module.func.value
    return dotted(module)


def _is_stale(file: SemanticModel, build: OptimizerBuild, found: Wrap, model: str) -> bool:
    """Whether an optimizer is surely built before the wrap, from the same model, and stays as it is."""
    block, start, stop = found.place.block, position(build.place.statement), position(found.call)
    if build.name is None or start >= stop or build.place.block.scope is not block.scope:
        return False
    other_model = any(
        start < item.position < stop and not _mentions(item.value, model) for item in _bindings(file, model, block)
    )
    built_again = any(item.position > stop for item in _bindings(file, build.name, block))
    in_sight = block.within(build.place.block) and not other_model and not built_again
    return in_sight and not _may_be_relinked(file, build.name, stop)


def _bindings(file: SemanticModel, name: str, block: Block) -> list[Binding]:
    """What a function assigns to a name, or to an attribute of its object."""
    root, _, attribute = name.partition(".")
    if not attribute:
        return block.scope.bindings.get(root, [])
    owner = file.graph.owner(block)
    return [item for item in owner.attributes.get(attribute, []) if item.block.scope is block.scope] if owner else []


def _mentions(value: ast.expr | None, name: str) -> bool:
    return value is not None and any(dotted(part) == name for part in nodes_in(value))


def _may_be_relinked(file: SemanticModel, optimizer: str, after: tuple[int, int]) -> bool:
    """Whether later code may give the optimizer the new parameters."""
    if "add_param_group" in file.outline.calls or "params" in file.outline.stores:
        return True
    return any(
        position(place.node) > after
        and _RELINKED.search(last_name(place.node.func))
        and any(dotted(item) == optimizer for item in (*place.node.args, *(key.value for key in place.node.keywords)))
        for place in file.outline.all_calls()
        if isinstance(place.node, ast.Call)
    )
