"""TRN513."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.programs.wraps import SHARDING_ROOTS, Wrap, called, wrap, wraps
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, BlockKind, How, Place
from trainlint.analysis.syntax.names import (
    argument,
    constant,
    dotted,
    has_unpacked_arguments,
    last_name,
    names_in,
    position,
)
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.roles import Role, role
from trainlint.analysis.syntax.uses import call_of
from trainlint.analysis.tables.parallel import Wrapper, name_of
from trainlint.finding import Finding, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_POLICY = "auto_wrap_policy"
_WRAPS_INNER = lazy(r"(^|_)(auto_?)?wrap|shard|fsdp|parallelize$|placement", re.IGNORECASE)
"""What else may have wrapped parts of the model: `wrap`, `apply_fsdp`, `shard_model`."""
_WRAPS_NOTHING = lazy(r"checkpoint|^set_|state_dict|plan|log|warn|print", re.IGNORECASE)
_PART = lazy(r"layer|block|module|child|expert|head|embed|stage|encoder|decoder|ffn|mlp|^[a-z]$", re.IGNORECASE)
"""Names of parts of a model, one of which is wrapped at a time."""
_SAME_MODULE = frozenset({"to", "cuda", "cpu", "train", "eval", "bfloat16", "half", "float"})
_QUIETLY = 0.6


class FsdpWrapsOnlyOutermost(Rule):
    """FSDP around a whole model as one unit, which is gathered whole for each forward

    ## Why
    FSDP gathers the parameters of one unit at a time: before a unit runs, all its weights are put together on each
    device, and let go afterwards. A model that is one unit is gathered whole, with whole gradients in the backward:
    the memory for which it was sharded is needed all the same, in one moment. And nothing can be gathered ahead while
    another unit computes, so each step waits for the network with idle devices. Wrap the repeated layers, too.

    ## Example
    ```python
    import torch
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


    def build(make_model, local_rank):
        model = FSDP(make_model(), device_id=local_rank)
        return model, torch.optim.AdamW(model.parameters(), lr=1e-4)
    ```

    ## Use instead
    ```python
    import torch
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy

    from network import TransformerBlock


    def build(make_model, local_rank):
        model = FSDP(make_model(), auto_wrap_policy=ModuleWrapPolicy({TransformerBlock}), device_id=local_rank)
        return model, torch.optim.AdamW(model.parameters(), lr=1e-4)
    ```

    With `fully_shard`, call it for each layer first and for the model last.

    ## Stays silent
    Where a policy is given or options come from elsewhere; where the file wraps anything else, calls `wrap` or a
    function that shards by its name, or hands FSDP on; for parts of a model, such as layers in a loop; for
    `ShardingStrategy.NO_SHARD`. Quietly, below the default confidence, in tests and benchmarks,
    and where a function is handed the model, of which its caller may have wrapped parts.

    ## Confirmed by
    One all-gather in each forward, of all parameters, before the first kernel of the model; a single module in
    `FSDP.fsdp_modules(model)`.

    ## Gain
    Peak memory and overlap, more of both the larger the model. In PyTorch's tutorial, a toy model for MNIST on 4 GPUs
    peaks at about 75 MB a GPU as one unit and at 66 MB with a policy. Nothing is gained for a model so small that
    gathering all of it takes no time.

    ## References
    - `fully_shard`, which says not to call it only on the root:
      https://docs.pytorch.org/docs/stable/distributed.fsdp.fully_shard.html
    - The review of PyTorch's FSDP tutorial, with these figures: https://github.com/pytorch/tutorials/pull/1861
    """

    code = "TRN513"
    name = "fsdp-wraps-only-outermost"
    severity = Severity.WARNING
    heat_matters = False
    triggers = Triggers(references=SHARDING_ROOTS)

    def check(self, site: Site) -> Iterator[Finding]:
        """Find wraps of whole models beside which the file wraps nothing."""
        place = call_of(site.file, site.node)
        found = wrap(site.file, place) if place is not None else None
        if found is None or (has_unpacked_arguments(found.call) and not _says_no_policy(found)):
            return
        if not _is_one_unit(found) or not _is_whole_model(site.file, found) or _wraps_more(site.file, found):
            return
        what = f"`{name_of(found.wrapper)}`" if found.wrapper is Wrapper.FSDP2 else name_of(found.wrapper)
        how = "call it for each layer first" if found.wrapper is Wrapper.FSDP2 else f"give it an `{_POLICY}`"
        yield self.finding(
            site,
            f"{what} gathers this whole model at once, before anything computes, since no part of it is a unit of its "
            f"own; {how}",
            at=found.call,
            confidence=_QUIETLY if is_test_path(site.path) or _is_given_to_function(found) else 0.8,
        )


def _says_no_policy(found: Wrap) -> bool:
    """Whether options from elsewhere can hold no policy, as `fully_shard` takes none."""
    return found.wrapper is Wrapper.FSDP2 and not any(isinstance(item, ast.Starred) for item in found.call.args)


def _is_one_unit(found: Wrap) -> bool:
    if found.wrapper is Wrapper.DDP or isinstance(found.module, ast.List | ast.Tuple):
        return False
    policy = argument(found.call, _POLICY, 4)
    strategy = argument(found.call, "sharding_strategy", 2) if found.wrapper is Wrapper.FSDP1 else None
    whole = strategy is not None and "NO_SHARD" in names_in(strategy)
    return found.wrapper is Wrapper.FSDP2 or ((policy is None or constant(policy) is None) and not whole)


def _is_whole_model(file: SemanticModel, found: Wrap) -> bool:
    """Whether what is wrapped is no part of a model, as far as the file tells."""
    module = _unmoved(found.module)
    for block in found.place.block.outwards():
        if block.kind is BlockKind.LOOP:
            return False  # one of several
        if block.kind is BlockKind.FUNCTION:
            break
    if isinstance(module, ast.Call):
        return not _is_plain_layer(file, module, found.place.block)
    if isinstance(module, ast.Attribute):
        return isinstance(module.value, ast.Name) and module.value.id == "self" and not _PART.search(module.attr)
    if not isinstance(module, ast.Name) or _PART.search(module.id):
        return False
    return not _is_layer(file, module, found)


def _unmoved(module: ast.expr) -> ast.expr:
    """A model before `.to(device)` and its like."""
    while isinstance(module, ast.Call) and isinstance(module.func, ast.Attribute) and module.func.attr in _SAME_MODULE:
        module = module.func.value
    return module


def _is_layer(file: SemanticModel, module: ast.Name, found: Wrap) -> bool:
    """Whether a name holds one plain layer, or a part of a model that an attribute or an index gives."""
    for binding in reaching(module.id, found.place.block, position(module)):
        value = _unmoved(binding.value) if binding.value is not None else None
        if binding.how is How.ASSIGN and isinstance(value, ast.Attribute | ast.Subscript):
            return True
        if isinstance(value, ast.Call) and _is_plain_layer(file, value, binding.block):
            return True
    return False


def _is_plain_layer(file: SemanticModel, call: ast.Call, block: Block) -> bool:
    return (file.kinds.imported(call.func, block) or "").startswith("torch.nn.")


def _is_given_to_function(found: Wrap) -> bool:
    """Whether the function is handed the model, of which its caller may have wrapped parts already."""
    if not isinstance(found.module, ast.Name):
        return False
    bindings = reaching(found.module.id, found.place.block, position(found.module))
    return any(binding.how is How.PARAMETER for binding in bindings)


def _wraps_more(file: SemanticModel, found: Wrap) -> bool:
    """Whether the file may make units of parts of the model."""
    if any(_may_be_inner(file, other, found) for other in wraps(file)):
        return True
    own = last_name(found.call.func)
    handed = any(
        last_name(place.node) == own and role(file, place) is Role.VALUE
        for place in file.outline.references
        if isinstance(place.node, ast.expr)
    )
    return handed or any(
        _is_given(place, found)
        for name, places in file.outline.calls.items()
        if name not in called(file) and _WRAPS_INNER.search(name) and not _WRAPS_NOTHING.search(name)
        for place in places
    )


def _may_be_inner(file: SemanticModel, other: Wrap, found: Wrap) -> bool:
    """Whether another wrap may make a unit of a part of this model. One of the same name stands on another path."""
    if other.call is found.call or other.wrapper is Wrapper.DDP:
        return False
    return not _is_whole_model(file, other) or ast.dump(other.module) != ast.dump(found.module)


def _is_given(place: Place, found: Wrap) -> bool:
    """Whether a call that comes before the wrap is given the model, or called on it."""
    call, model = place.node, dotted(found.module)
    if not isinstance(call, ast.Call) or place.block.scope is not found.place.block.scope:
        return False
    parts = (*call.args, *(keyword.value for keyword in call.keywords), _receiver(call))
    return position(call) < position(found.call) and any(dotted(part) in (model, found.result) for part in parts)


def _receiver(call: ast.Call) -> ast.expr:
    return call.func.value if isinstance(call.func, ast.Attribute) else call.func
