"""What FSDP makes one unit of: a whole model, or a part of one."""

from __future__ import annotations

import ast
import re

from trainlint.analysis.programs.wraps import Wrap, called, wrap, wraps
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
from trainlint.analysis.tables.parallel import Wrapper
from trainlint.contract.guard import guard
from trainlint.patterns import lazy
from trainlint_rules.distributed.idioms.wrapping.wrapped_modules import unmoved

POLICY = "auto_wrap_policy"
_WRAPS_INNER = lazy(r"(^|_)(auto_?)?wrap|shard|fsdp|parallelize$|placement", re.IGNORECASE)
"""What else may have wrapped parts of the model: `wrap`, `apply_fsdp`, `shard_model`."""
_WRAPS_NOTHING = lazy(r"checkpoint|^set_|state_dict|plan|log|warn|print", re.IGNORECASE)
_PART = lazy(r"layer|block|module|child|expert|head|embed|stage|encoder|decoder|ffn|mlp|^[a-z]$", re.IGNORECASE)
"""Names of parts of a model, one of which is wrapped at a time."""


@guard
def options_from_elsewhere(site: Site) -> bool:
    """`*args` or `**kwargs` may hold a policy."""
    only_named = not any(isinstance(item, ast.Starred) for item in site.call.args)
    takes_no_policy = _wrapper(site) is Wrapper.FSDP2 and only_named
    return has_unpacked_arguments(site.call) and not takes_no_policy


@guard
def has_policy(site: Site) -> bool:
    """An `auto_wrap_policy` is given."""
    policy = argument(site.call, POLICY, 4)
    return _wrapper(site) is Wrapper.FSDP1 and policy is not None and constant(policy) is not None


@guard
def shards_nothing(site: Site) -> bool:
    """`ShardingStrategy.NO_SHARD` is given."""
    strategy = argument(site.call, "sharding_strategy", 2) if _wrapper(site) is Wrapper.FSDP1 else None
    return strategy is not None and "NO_SHARD" in names_in(strategy)


@guard
def part_of_model(site: Site) -> bool:
    """Only a part of a model is wrapped, such as a layer in a loop."""
    found = wrap(site.file, site.place)
    return found is not None and not _is_whole_model(site.file, found)


@guard
def wraps_more(site: Site) -> bool:
    """The file wraps something else, passes the wrapper on, or calls a sharding function."""
    found = wrap(site.file, site.place)
    if found is None:
        return False
    if any(_may_be_inner(site.file, other, found) for other in wraps(site.file)) or _is_handed_on(site.file, found):
        return True
    return any(
        _is_given(place, found)
        for name, places in site.file.outline.calls.items()
        if name not in called(site.file) and _WRAPS_INNER.search(name) and not _WRAPS_NOTHING.search(name)
        for place in places
    )


def is_given_to_function(found: Wrap) -> bool:
    """Whether the function is handed the model, of which its caller may have wrapped parts already."""
    if not isinstance(found.module, ast.Name):
        return False
    bindings = reaching(found.module.id, found.place.block, position(found.module))
    return any(binding.how is How.PARAMETER for binding in bindings)


def _wrapper(site: Site) -> Wrapper | None:
    found = wrap(site.file, site.place)
    return found.wrapper if found is not None else None


def _is_whole_model(file: SemanticModel, found: Wrap) -> bool:
    """Whether what is wrapped is no part of a model, as far as the file tells."""
    module = unmoved(found.module)
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


def _is_layer(file: SemanticModel, module: ast.Name, found: Wrap) -> bool:
    """Whether a name holds one plain layer, or a part of a model that an attribute or an index gives."""
    for binding in reaching(module.id, found.place.block, position(module)):
        value = unmoved(binding.value) if binding.value is not None else None
        if binding.how is How.ASSIGN and isinstance(value, ast.Attribute | ast.Subscript):
            return True
        if isinstance(value, ast.Call) and _is_plain_layer(file, value, binding.block):
            return True
    return False


def _is_plain_layer(file: SemanticModel, call: ast.Call, block: Block) -> bool:
    return (file.kinds.imported(call.func, block) or "").startswith("torch.nn.")


def _is_handed_on(file: SemanticModel, found: Wrap) -> bool:
    """Whether the wrapper itself is a value somewhere, as in `partial(fully_shard, mesh=mesh)`."""
    own = last_name(found.call.func)
    return any(
        last_name(place.node) == own and role(file, place) is Role.VALUE
        for place in file.outline.references
        if isinstance(place.node, ast.expr)
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
