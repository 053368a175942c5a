"""Numbers that ranks agree on: made on the host, brought together by a collective, read to decide what comes next.

Whether all ranks stop, skip a step or begin the next epoch must be known on the host, and it is no value of training.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.effects.collectives import collective
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Binding, Block, How, Place
from trainlint.analysis.syntax.names import last_name, nodes_in, position, root_name
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.collectives import BROADCAST, IN_PLACE, RETURNING_METHODS
from trainlint.analysis.tables.waits.device_copies import MOVES
from trainlint.patterns import lazy

_MAKERS = frozenset({"tensor", "as_tensor", "zeros", "ones", "full", "zeros_like", "ByteTensor", "IntTensor"})
"""What makes a tensor of numbers that the host knows."""
_SUMMARIES = frozenset({"any", "all"})
_KEEPS = frozenset({"int", "long", "byte", "float", "bool", *MOVES, "view", "clone"})
"""Methods that change the type or the place of a flag, not what it says."""
_OWNER = lazy(r"^(self|acc(el)?|accelerator|fabric)$", re.IGNORECASE)
_FLAG = lazy(r"(^|_)(flags?|stop|done|trigger|triggered|reached|exit|abort|signal)($|_)", re.IGNORECASE)
_DEEPEST = 3


def is_agreement(file: SemanticModel, read: ast.AST, block: Block, statement: ast.stmt) -> bool:
    """Whether a read, an expression in a statement, asks for what ranks agreed on.

    A flag counts if a reduction brought it together and the read decides something by it; any number of the host
    counts if another rank sent it by a broadcast, since the receiver needs it before it can go on.
    """
    if any(_returns_flag(file, part, block) for part in nodes_in(read)):
        return _decides(read, statement)
    name = _name_read(read)
    bindings = reaching(name, block, position(statement)) if name else []
    if any(_received(file, item) for item in bindings):
        return True
    if any(_is_flag(file, item) for item in bindings):
        ways = set(_collectives_on(file, name, block, statement))
        return BROADCAST.name in ways or (bool(ways) and _decides(read, statement))
    return any(_reduced_flag(file, item) for item in bindings) and _decides(read, statement)


def _name_read(read: ast.AST) -> str:
    """The name whose value an expression reads, or else the first name in it; empty where it has none."""
    owner = read.func.value if isinstance(read, ast.Call) and isinstance(read.func, ast.Attribute) else read
    name = root_name(owner) if isinstance(read, ast.expr) else ""
    return name or next((part.id for part in nodes_in(read) if isinstance(part, ast.Name)), "")


def _decides(read: ast.AST, statement: ast.stmt) -> bool:
    """Whether what is read is compared, or taken for true or false, in the same statement."""
    if isinstance(read, ast.Compare):
        return True
    for part in nodes_in(statement):
        match part:
            case ast.Compare() | ast.Call(func=ast.Name(id="bool")):
                if any(inner is read for inner in nodes_in(part)):
                    return True
            case ast.ListComp(elt=ast.Compare()) | ast.GeneratorExp(elt=ast.Compare()):
                if any(inner is read for inner in nodes_in(part.generators[0].iter)):
                    return True
    return isinstance(statement, ast.If | ast.While) and any(inner is read for inner in nodes_in(statement.test))


def _collectives_on(file: SemanticModel, name: str, block: Block, statement: ast.stmt) -> Iterator[str]:
    """The collectives, also in helpers of the file, that a function gives a tensor before a statement."""
    function = file.graph.enclosing(block)
    for method in IN_PLACE:
        for place in file.outline.calls.get(method, ()):
            if file.graph.enclosing(place.block) is function and _gives(file, place, name):
                if getattr(place.node, "lineno", 0) <= statement.lineno:
                    yield method
    for edges in file.graph.callers.values():
        for edge in edges:
            call = edge.place.node
            if isinstance(call, ast.Call) and file.graph.enclosing(edge.place.block) is function:
                if call.args and root_name(call.args[0]) == name and call.lineno <= statement.lineno:
                    yield from _collectives_in_body(file, edge.function.body)


def _gives(file: SemanticModel, place: Place, name: str) -> bool:
    assert isinstance(place.node, ast.Call)
    found = collective(file, place.node, place.block)
    return found is not None and found.tensor is not None and root_name(found.tensor) == name


def _collectives_in_body(file: SemanticModel, body: Block) -> Iterator[str]:
    """The collectives in a function's body."""
    for method in IN_PLACE:
        for place in file.outline.calls.get(method, ()):
            if place.block.within(body) and isinstance(place.node, ast.Call):
                if collective(file, place.node, place.block) is not None:
                    yield method


def _is_flag(file: SemanticModel, binding: Binding, depth: int = 0) -> bool:
    """Whether a name holds a tensor of numbers that the host knows, or whether any or all of something holds."""
    if binding.how is not How.ASSIGN or binding.value is None or binding.path:
        return False
    return _makes_flag(file, binding.value, binding.block, depth)


def _makes_flag(file: SemanticModel, node: ast.expr, block: Block, depth: int) -> bool:
    if isinstance(node, ast.Name) and depth < _DEEPEST:
        return any(_is_flag(file, item, depth + 1) for item in reaching(node.id, block, position(node)))
    if not isinstance(node, ast.Call):
        return False
    name = last_name(node.func)
    if name in _KEEPS and isinstance(node.func, ast.Attribute):
        return _makes_flag(file, node.func.value, block, depth)
    if name in _SUMMARIES:
        return True
    if name not in _MAKERS or not (file.kinds.imported(node.func, block) or "").startswith("torch."):
        return False
    return not any(file.kinds.of(item, block).is_tensor for item in node.args[:1])


def _returns_flag(file: SemanticModel, call: ast.AST | None, block: Block) -> bool:
    """`accelerator.reduce(flag)`: a collective that returns its result, of a flag."""
    if not isinstance(call, ast.Call) or last_name(call.func) not in RETURNING_METHODS or not call.args:
        return False
    if not isinstance(call.func, ast.Attribute) or not _OWNER.search(last_name(call.func.value)):
        return False
    given = call.args[0]
    return bool(_FLAG.search(last_name(given))) or _makes_flag(file, given, block, 0)


def _reduced_flag(file: SemanticModel, binding: Binding) -> bool:
    """Whether a name holds what such a collective returned."""
    return binding.how is How.ASSIGN and _returns_flag(file, binding.value, binding.block)


def _received(file: SemanticModel, binding: Binding) -> bool:
    """Whether a name holds what a helper of the file returns that broadcasts."""
    if binding.how is not How.ASSIGN or not isinstance(binding.value, ast.Call):
        return False
    edge = file.graph.callee.get(binding.value)
    return edge is not None and BROADCAST.name in last_name(binding.value.func).lower()
