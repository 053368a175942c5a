"""Reads for each parameter of a model, in a loop over them, and what to do instead."""

from __future__ import annotations

import ast

from trainlint.analysis.effects.parameter_loops import parameter_loop
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, BlockKind, How
from trainlint.analysis.syntax.names import last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.uses import enclosing_nodes
from trainlint_rules.sync.idioms.reads.value_uses import ValueUse, use_of_value

_DEEPEST = 4
_EACH = "this waits once for each parameter: keep the numbers on the GPU and read one result"
_NORM = f"{_EACH}; `clip_grad_norm_` returns the norm of all gradients"
_COMPARED = "compare on the GPU: `x.clamp(min=...)` or `x.clamp(max=...)` gives a tensor and does not wait"
_DECIDED = "decide on the GPU, with `torch.where`; `torch._foreach_norm` gives the norms of a list of tensors"


def instead_of_each(site: Site, read: ast.AST) -> str | None:
    """Help for a read in a loop over parameters, by what is read; None for any other read."""
    is_text = use_of_value(site, read) in (ValueUse.TEXT, ValueUse.BAR)
    if is_text or not reads_each_parameter(site.file, read, site.block, site.statement):
        return None
    holders = (read, *enclosing_nodes(site.file, read, site.statement))
    if any(isinstance(part, ast.Call) and last_name(part.func) in ("max", "min") for part in holders):
        return _COMPARED
    names = {part.attr for part in nodes_in(site.statement) if isinstance(part, ast.Attribute)}
    if {"grad", "norm"} <= names:
        return _NORM
    ends = any(isinstance(part, ast.Return | ast.Raise | ast.Break) for part in nodes_in(site.statement))
    return _DECIDED if isinstance(site.statement, ast.If) and not ends else _EACH


def reads_each_parameter(file: SemanticModel, read: ast.AST, block: Block, statement: ast.stmt) -> bool:
    """Whether a read stands in a loop over parameters or gradients and reads what belongs to one of them.

    A block around the comprehension in which the read stands will do: the statement is searched for it.
    """
    block = _inner_block(file, read, block, statement)
    loop = parameter_loop(file.outline, block, by_name=True)
    return loop is not None and not loop.of_states and _follows(read, loop.block, block, _DEEPEST)


def _inner_block(file: SemanticModel, read: ast.AST, block: Block, statement: ast.stmt) -> Block:
    """The block of the innermost comprehension around an expression, or the block that is known already."""
    if block.kind is BlockKind.LOOP and isinstance(block.node, ast.comprehension):
        return block
    inner = read
    for outer in enclosing_nodes(file, read, statement):
        if isinstance(outer, ast.GeneratorExp | ast.ListComp | ast.SetComp) and inner is outer.elt:
            return file.outline.loop_blocks.get(outer.generators[-1], block)
        inner = outer
    return block


def _follows(node: ast.AST, loop: Block, block: Block, depth: int) -> bool:
    """Whether an expression is computed from the loop's variables, directly or by names assigned in its body."""
    assert isinstance(loop.node, ast.For | ast.comprehension)
    targets = {part.id for part in nodes_in(loop.node.target) if isinstance(part, ast.Name)}
    for name in nodes_in(node):
        if not isinstance(name, ast.Name):
            continue
        if name.id in targets:
            return True
        for binding in reaching(name.id, block, position(name)) if depth else ():
            inside = binding.block.within(loop) and binding.how is How.ASSIGN and binding.value is not None
            if inside and binding.value is not None and _follows(binding.value, loop, binding.block, depth - 1):
                return True
    return False
