"""Whether host memory is surely left alone after it was copied from, as a copy needs that the host does not wait for.

Anything may write to memory through some name, so this asks for the opposite: the memory is that of a fresh batch, and
each use of each of its names is one that is known to read it, to copy it, or to give it another name. What is not known
counts as a write.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trainlint.analysis.effects.host_memory.fresh_batches import yields_fresh_batches
from trainlint.analysis.syntax.blocks import Binding, Block, How, Place
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments, last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.syntax.uses import enclosing_nodes, loads
from trainlint.analysis.tables.host_reads import ITEM, TOLIST
from trainlint.analysis.tables.waits.device_copies import MOVES

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_OF_NO_MEMORY = frozenset("shape dtype device ndim is_cuda layout".split())
_READS = frozenset(
    "clone size numel dim nelement is_floating_point sum mean std var norm abs max min argmax argmin any all eq ne gt "
    "lt ge le keys".split()
) | {ITEM.name, TOLIST.name}
"""Methods that write nothing, and whose result shares no memory with what they are called on."""
_VIEWS = frozenset(
    "view view_as reshape flatten unsqueeze squeeze permute transpose contiguous expand detach float half "
    "double bfloat16 long int bool items values".split()
)
"""Methods that write nothing, and whose result is, shares or holds the same memory."""
_READERS = frozenset("len print isinstance type id repr str float int bool".split())
"""Built-in functions that write nothing and keep nothing of what they are given."""
_NEW = (ast.Div, ast.Sub, ast.Pow, ast.FloorDiv)
"""Operators that make a new tensor of one and a number, and that lists have not."""
_REACHING_ALL = ("exec", "eval", "locals", "globals")
"""Built-in functions by which code may use names that stand nowhere in it."""
_STREAMS = ("Stream", "ExternalStream", "stream", "set_stream")
"""Calls that queue work on another stream of the device, which does not wait for a copy on this one."""
_DEEPEST = 8


def is_surely_left_alone(file: SemanticModel, copied: ast.expr, copy: Place) -> bool:
    """Whether nothing writes to what a call copies, and the device uses the copy in the order of the code."""
    if any(file.outline.calls.get(name) for name in _STREAMS) or _runs_text(file):
        return False
    waiting = _made_of(file, copied, copy.block)
    seen: set[Binding] = set()
    while waiting:
        binding = waiting.pop()
        if binding in seen:
            continue
        seen.add(binding)
        uses = _uses(file, binding)
        named = [_names_given(file, use, statement, copy) for use, statement in uses or ()]
        if uses is None or None in named:
            return False
        waiting += [item for some in named for item in some or ()]
    return bool(seen)


def _runs_text(file: SemanticModel) -> bool:
    calls = [item.node for name in _REACHING_ALL for item in file.outline.calls.get(name, ())]
    return any(isinstance(call, ast.Call) and isinstance(call.func, ast.Name) for call in calls)


def _made_of(file: SemanticModel, node: ast.expr, block: Block, depth: int = _DEEPEST) -> list[Binding]:
    """The names through which an expression surely is, or is a part of, a fresh batch; none where that is not sure."""
    while True:
        match node:
            case ast.Subscript(value=held) | ast.Attribute(value=held):
                node = held
            case ast.Call(func=ast.Attribute(value=held, attr=attr)) if attr in _VIEWS:
                node = held
            case _:
                break
    if not isinstance(node, ast.Name) or not depth:
        return []
    found: list[Binding] = []
    for binding in reaching(node.id, block, position(node)):
        outer = binding.block.parent if binding.how is How.FOR else binding.block
        if binding.how not in (How.FOR, How.ASSIGN) or binding.value is None or outer is None:
            return []
        if not _is_fresh(file, binding, outer):
            above = _made_of(file, binding.value, outer, depth - 1)
            if not above:
                return []
            found += above
        found.append(binding)
    return found


def _is_fresh(file: SemanticModel, binding: Binding, block: Block) -> bool:
    """Whether a name is bound to the batches of a loader, one after the other, or to parts of these."""
    assert binding.value is not None
    if binding.how is How.FOR:
        return yields_fresh_batches(file, binding.value, block)
    match binding.value:
        case ast.Call(func=ast.Name(id="next"), args=[iterator], keywords=[]):
            return block.scope.owner("next") is None and yields_fresh_batches(file, iterator, block)
    return False


def _uses(file: SemanticModel, binding: Binding) -> list[tuple[ast.Name, ast.stmt]] | None:
    """The uses that a binding may reach, each with its statement; None where there may be others."""
    scope = binding.block.scope.owner(binding.name)
    assert scope is not None
    if isinstance(scope.node, ast.ClassDef) or any(item.how is How.AUGMENT for item in scope.bindings[binding.name]):
        return None
    if not isinstance(scope.node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef):  # a comprehension
        assert isinstance(binding.node, ast.stmt)
        names = (part for part in nodes_in(scope.node) if isinstance(part, ast.Name) and part.id == binding.name)
        return [(name, binding.node) for name in names if isinstance(name.ctx, ast.Load)]
    return [
        (use, statement)
        for use, statement in loads(scope.node, binding.name)
        if binding in reaching(binding.name, file.outline.block_of[statement], position(use))
    ]


def _names_given(file: SemanticModel, use: ast.expr, statement: ast.stmt, copy: Place) -> list[Binding] | None:
    """The names that a use gives the memory; None where it may write to it, keep it or hand it on."""
    node: ast.AST = use
    around = enclosing_nodes(file, use, statement)
    for parent in around:
        match parent:
            case ast.Subscript(value=held, slice=ast.Constant(value=str()), ctx=ast.Store()) if held is node:
                return [] if isinstance(next(around), ast.Assign) else None  # an entry of a dict
            case ast.Attribute(attr=attr, ctx=ast.Load()) if attr in _OF_NO_MEMORY:
                return []
            case ast.Subscript(value=held, ctx=ast.Load()) | ast.Attribute(value=held, ctx=ast.Load()) if held is node:
                node = parent
            case ast.Call() if parent is copy.node or _only_reads(file, parent, node, statement, copy):
                return []
            case ast.Call(func=ast.Attribute(attr=attr) as func) if func is node and attr in _VIEWS:
                node = parent
            case ast.BinOp(op=operator, right=ast.Constant()) if isinstance(operator, _NEW):
                return []
            case ast.Compare(comparators=[ast.Constant()]) | ast.UnaryOp() | ast.FormattedValue() | ast.Expr():
                return []
            case _:
                return _names_bound(file, parent, node, statement)
    return None


def _names_bound(file: SemanticModel, parent: ast.AST, node: ast.AST, statement: ast.stmt) -> list[Binding] | None:
    """The names that an assignment or a loop binds to the memory, or to its items; None where it is neither."""
    match parent:
        case ast.Assign(targets=targets):
            return _bound(file.outline.block_of[statement], targets, statement)
        case ast.For(target=target) | ast.comprehension(target=target):
            if isinstance(target, ast.Tuple) and last_name(node) == "items":
                target = ast.Tuple(target.elts[1:])  # without the key
            return _bound(file.outline.loop_blocks[parent], [target], statement)
        case _:
            return None


def _only_reads(file: SemanticModel, call: ast.Call, node: ast.AST, statement: ast.stmt, copy: Place) -> bool:
    """Whether a call surely reads what it is called on, or given, and its result shares no memory with that."""
    match call.func:
        case ast.Attribute(attr=attr) as func if func is node:
            is_plain = argument(call, "out") is None and not has_unpacked_arguments(call)
            return is_plain and (attr in _READS or (attr in MOVES and _goes_where(call, copy.node)))
        case ast.Attribute(attr="copy_"):
            return True
        case ast.Name(id=name) if name in _READERS:
            return file.outline.block_of[statement].scope.owner(name) is None
    return file.outline.imported(call.func, file.outline.block_of[statement]) == "torch.is_tensor"


def _goes_where(move: ast.Call, copy: ast.AST) -> bool:
    """Whether a move makes a new tensor on a GPU wherever the copy does: its result is the same tensor on the CPU."""
    if last_name(move.func) == "cuda":
        return True
    target = argument(move, "device", 0)
    if target is None or str(constant(target)).startswith("cuda"):
        return target is not None
    given = argument(copy, "device", 0) if isinstance(copy, ast.Call) else None
    return given is not None and ast.dump(target) == ast.dump(given)


def _bound(block: Block, targets: list[ast.expr], statement: ast.stmt) -> list[Binding] | None:
    """What targets of plain names bind in a statement; None where one of them is something else."""
    names = []
    waiting = [*targets]
    while waiting:
        target = waiting.pop()
        if isinstance(target, ast.Tuple | ast.List):
            waiting += target.elts
        elif isinstance(target, ast.Name):
            names.append(target.id)
        else:
            return None
    owners = ((name, block.scope.owner(name)) for name in names)
    return [item for name, owner in owners if owner for item in owner.bindings[name] if item.node is statement]
