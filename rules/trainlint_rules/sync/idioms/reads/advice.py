"""What to do instead of a read, by what becomes of the value."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.forward import computes
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.uses import around
from trainlint_rules.sync.idioms.reads.becomes import Becomes, becomes
from trainlint_rules.sync.idioms.reads.decisions import Decision, decision

INSTEAD_OF_SIZE = (
    "take it on the CPU, from the batch before that is copied to the GPU, or use the padded size of the tensor"
)
_SOLVED = "the solver runs on the CPU: concatenate all that it needs and copy once a step"
_LENGTHS = "take the lengths from the batch before that is copied to the GPU"
_PRINTED = "print or log it every N steps"
INSTEAD_OF_TEST = {
    Decision.CHECKS: "drop the check, or check on the GPU with `torch._assert_async`, which does not wait",
    Decision.SKIPS: "drop the test if it never holds, or decide by a number that the host knows or reads anyway",
    Decision.UPDATES: "decide by a number that the host reads anyway, or multiply the loss by the answer on the GPU",
    Decision.FILLS: "drop the test: where the mask has no hit, the statement changes nothing",
    Decision.ASSIGNS: "choose on the GPU with `torch.where`, or test every N steps",
    Decision.BRANCHES: "decide by a number that the host knows without the GPU, such as a size, or test every N steps",
}
"""Help for a test, by what it decides."""


def instead_of_number(site: Site, read: ast.AST) -> str | None:
    """Help for a read, by what the value is for; None where nothing special is known of that."""
    decided = decision(site, read)
    if decided is not None:
        return INSTEAD_OF_TEST[decided]
    value = site.text(_read_value(read))
    match becomes(site, read):
        case Becomes.SIZE:
            return INSTEAD_OF_SIZE
        case Becomes.LENGTHS:
            return _LENGTHS
        case Becomes.SOLVED:
            return _SOLVED
        case Becomes.TEXT:
            return _PRINTED
        case Becomes.ELEMENT:
            return f"append `{value}.detach()` and read the list once, after the epoch"
        case Becomes.ARGUMENT | Becomes.ENTRY:
            return f"keep `{value}.detach()` and read it every N steps, or after the backward pass with all others"
    if computes(site.file, site.block):
        return f"keep `{value}` a tensor, or take the number on the CPU before the batch is copied to the GPU"
    return None


def instead_of_copy(site: Site) -> str | None:
    """Help for a copy to the host in a forward pass or loss; None where nothing special is known of it."""
    value = site.text(site.receiver)
    match becomes(site, _outermost(site)):
        case Becomes.SOLVED:
            return _SOLVED
        case Becomes.LENGTHS:
            return _LENGTHS
        case Becomes.TEXT:
            return _PRINTED
        case Becomes.ARGUMENT | Becomes.ENTRY:
            return f"keep `{value}` on the GPU and read it after the backward pass, or every N steps"
    return None


def _outermost(site: Site) -> ast.AST:
    """The chain of methods that a call begins: `cost.cpu().numpy()` for `cost.cpu()`."""
    node: ast.AST = site.node
    for outer in around(site.file, site.node, site.statement):
        is_link = isinstance(outer, ast.Attribute) and outer.value is node
        is_call = isinstance(outer, ast.Call) and outer.func is node
        if not is_link and not is_call:
            break
        node = outer
    return node


def _read_value(read: ast.AST) -> ast.AST:
    """The tensor: `x` of `x.item()` and of `float(x)`."""
    match read:
        case ast.Call(func=ast.Attribute(value=value), args=[]):
            return value
        case ast.Call(func=ast.Name(), args=[value, *_]):
            return value
    return read
