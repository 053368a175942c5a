"""Python numbers that become tensors on the device, one copy each."""

from __future__ import annotations

import ast
import re
from enum import Enum, auto

from trainlint.analysis.conditions.branches import is_branch
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments, last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching, single_value
from trainlint.analysis.syntax.uses import enclosing_nodes
from trainlint.analysis.tables.host_reads import ITEM
from trainlint.analysis.types.values import Home, Kind
from trainlint.contract.confidence import doubted, level
from trainlint.contract.guard import guard
from trainlint.finding import Confidence
from trainlint.patterns import lazy
from trainlint_rules.sync.idioms.reads.following_reads import read_follows
from trainlint_rules.sync.idioms.reads.value_uses import uses_of

_STEP_COUNTS = frozenset({"step", "steps", "step_t", "state_step"})
_SEVERAL = lazy(r"\b(list|tuple|sequence|iterable|ndarray)\b", re.IGNORECASE)
_BOUNDING = frozenset({"maximum", "minimum", "max", "min", "fmax", "fmin"})
"""Functions that take no number beside a tensor, and for which `clamp` stands."""
_REDUCTIONS = frozenset({"sum", "max", "min", "mean", "any", "all", ITEM.name})


def uploaded(site: Site) -> ast.expr | None:
    """What a call of `torch.tensor` or `torch.as_tensor` makes a tensor on the device of; None for other devices."""
    call = site.call
    if has_unpacked_arguments(call) or not call.args or argument(call, "device") is None:
        return None
    return call.args[0] if site.file.kinds.device_argument(call, site.block) is Home.DEVICE else None


def sure_of_number(site: Site, node: ast.expr) -> Confidence | None:
    """How sure it is that an expression is one Python number; None where it surely is not."""
    if isinstance(node, ast.List | ast.Tuple) and len(node.elts) == 1:
        return sure_of_number(site, node.elts[0])
    if isinstance(constant(node), int | float):
        return Confidence.CERTAIN
    value = site.value(node)
    return doubted(True, level(value.confidence) < Confidence.CERTAIN) if value.kind is Kind.NUMBER else None


class Replacement(Enum):
    """What can stand in place of the tensor that is made of a number."""

    NUMBER = auto()
    """The number itself: it is an operand of arithmetic only."""
    BOUND = auto()
    """A tensor, since it is given to `torch.maximum` or the like; `clamp` takes the number."""
    TENSOR = auto()
    """A tensor: it is changed in place, given to a function, returned or kept."""


def replacement_of_tensor(site: Site) -> Replacement:
    """What may stand in place of the made tensor, by all uses of it in the function."""
    uses = uses_of(site, site.call)
    if len(uses) > 1:
        uses = uses[1:]  # the first one assigns the name
    outer = [next(enclosing_nodes(site.file, use, statement), statement) for use, statement in uses]
    if any(isinstance(holder, ast.Call) and last_name(holder.func) in _BOUNDING for holder in outer):
        return Replacement.BOUND
    computed = (isinstance(holder, ast.BinOp | ast.Compare) for holder in outer)
    return Replacement.NUMBER if all(computed) else Replacement.TENSOR


@guard
def step_count(site: Site) -> bool:
    """It depends on the optimizer's step count, which is on the CPU unless a CUDA graph is captured."""
    device = argument(site.call, "device")
    return isinstance(device, ast.Attribute) and last_name(device.value) in _STEP_COUNTS


@guard
def returned_instead(site: Site) -> bool:
    """A branch returns it as a default, such as a zero loss."""
    return isinstance(site.statement, ast.Return) and is_branch(site.block, early_exits=False)


@guard
def may_be_several(site: Site) -> bool:
    """The annotation also allows a list or an array."""
    number = site.call.args[0]
    return isinstance(number, ast.Name) and any(
        isinstance(item.node, ast.arg)
        and item.node.annotation is not None
        and _SEVERAL.search(ast.unparse(item.node.annotation)) is not None
        for item in reaching(number.id, site.block, position(number))
    )


@guard
def read_before(site: Site) -> bool:
    """The CPU has just read the number from the GPU, as in `int(mask.sum())`."""
    made = single_value(site.call.args[0], site.block) or site.call.args[0]
    return any(
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("int", "float", "bool")
        and any(isinstance(item, ast.Call) and last_name(item.func) in _REDUCTIONS for item in call.args)
        for call in nodes_in(made)
    )


@guard
def waits_around(site: Site) -> bool:
    """This or the next statements force a GPU sync anyway."""
    return read_follows(site.file, site.place, itself=True)
