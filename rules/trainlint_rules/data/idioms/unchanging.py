"""Whether an expression means the same in each round of the loops around it, as far as the file shows it."""

from __future__ import annotations

import ast

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Binding, Block, How
from trainlint.analysis.syntax.names import last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.types.batches import passed

_CHANGES = frozenset(
    "append extend insert add update remove pop clear sort shuffle push put reset set_epoch fill_ copy_ load".split()
)
"""Methods that change the object that they are called on."""
_FIXED = frozenset({"list", "tuple", "range", "len", "int", "min", "max", "str", "load_dataset"})
"""Functions that give the same for the same."""
_DEEPEST = 8


def unchanging(file: SemanticModel, node: ast.expr, block: Block, depth: int = _DEEPEST) -> bool:
    """Whether an expression surely means the same each time: what it is made of is bound before all loops.

    Classes and the functions of `torch` that build datasets are taken to give the same for the same; other calls,
    attributes that methods assign to, and what is changed inside a loop are not.
    """
    if depth <= 0:
        return False
    for part in nodes_in(node):
        if isinstance(part, ast.Call) and not _gives_the_same(file, part, block):
            return False
        if isinstance(part, ast.Attribute) and not _attribute_stays(file, part):
            return False
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and not _name_stays(file, part, block, depth):
            return False
        if isinstance(part, ast.Lambda | ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp | ast.Await):
            return False
    return True


def _gives_the_same(file: SemanticModel, call: ast.Call, block: Block) -> bool:
    name = last_name(call.func)
    return name in _FIXED or (name[:1].isupper() and file.kinds.imported(call.func, block) != "random.Random")


def _attribute_stays(file: SemanticModel, node: ast.Attribute) -> bool:
    """Whether nothing in the file stores to an attribute of this name where it may run more than once."""
    return not any(
        _in_loop(place.block) or _runs_again(file, place.block) or _is_method(file, place.block)
        for place in file.outline.stores.get(node.attr, [])
    )


def _is_method(file: SemanticModel, block: Block) -> bool:
    """Whether a block stands in a method that other objects may call at any time."""
    function = file.outline.enclosing(block)
    return function is not None and function.owner is not None and function.name != "__init__"


def _name_stays(file: SemanticModel, name: ast.Name, block: Block, depth: int) -> bool:
    if _changed_in_loop(file, name.id):
        return False
    return all(_binding_stays(file, item, depth) for item in reaching(name.id, block, position(name)))


def _binding_stays(file: SemanticModel, binding: Binding, depth: int) -> bool:
    if binding.how in (How.IMPORT, How.CLASS, How.FUNCTION):
        return True
    if binding.how is How.ASSIGN and binding.value is not None:
        # Assigned in the loop, it is as constant as what it is made of.
        return unchanging(file, binding.value, binding.block, depth - 1) or not (
            _in_loop(binding.block) or _runs_again(file, binding.block)
        )
    if binding.how is How.PARAMETER:
        function = file.outline.function_of.get(binding.block.node)
        if function is None or binding.name in ("self", "cls"):
            return function is not None
        if not _runs_again(file, function.body):
            return True
        given = list(passed(file.graph, function, binding.name))
        return bool(given) and all(unchanging(file, value, outer, depth - 1) for value, outer in given)
    return False


def _runs_again(file: SemanticModel, block: Block, depth: int = _DEEPEST) -> bool:
    """Whether the function around a block is called in a loop, or by a function that is."""
    function = file.outline.enclosing(block)
    edges = file.graph.callers.get(function, []) if function is not None and depth else []
    return any(_in_loop(edge.place.block) or _runs_again(file, edge.place.block, depth - 1) for edge in edges)


def _changed_in_loop(file: SemanticModel, name: str) -> bool:
    """Whether something is put into what a name holds, or a method changes it, inside a loop."""
    if any(_in_loop(place.block) for place in file.outline.fillings.get(name, [])):
        return True
    return any(
        isinstance(place.node, ast.Call)
        and isinstance(place.node.func, ast.Attribute)
        and isinstance(place.node.func.value, ast.Name)
        and place.node.func.value.id == name
        and _in_loop(place.block)
        for method in _CHANGES
        for place in file.outline.calls.get(method, [])
    )


def _in_loop(block: Block) -> bool:
    return any(not isinstance(loop.node, ast.comprehension) for loop in block.loops())
