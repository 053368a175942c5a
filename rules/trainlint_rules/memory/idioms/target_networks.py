"""Networks that are copies of trained ones and are never trained themselves, as targets in reinforcement learning."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainlint.analysis.programs.evaluation import forwards_with_graph, model_run_by
from trainlint.analysis.programs.steps import LoopKind
from trainlint.analysis.syntax.blocks import Block, BlockKind, How, Place
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import dotted, last_name, nodes_in, position
from trainlint.analysis.syntax.reaching import reaching
from trainlint.analysis.tables.iterables import zips_items
from trainlint.analysis.types.values import Kind
from trainlint.finding import Heat
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.semantic_model import SemanticModel

_IN_PLACE = frozenset({"copy_", "lerp_", "mul_", "add_", "set_"})
_FREEZING = lazy(r"freeze|frozen|grad", re.IGNORECASE)
"""Functions that are given a network and may switch off the gradients of its parameters."""
_TRAINING = frozenset({Heat.STEP, Heat.INNER, Heat.UNKNOWN})


def copied_to(node: ast.AST) -> str | None:
    """The network, by its dotted name, that a statement fills with another one's parameters.

    At once, as in `target.load_state_dict(online.state_dict())`, or step by step, as in
    `for p, t in zip(online.parameters(), target.parameters()): t.data.copy_(...)`.
    """
    if isinstance(node, ast.Call):
        return _loaded(node)
    return _averaged(node) if isinstance(node, ast.For) else None


def _loaded(call: ast.Call) -> str | None:
    if last_name(call.func) != "load_state_dict" or not isinstance(call.func, ast.Attribute) or not call.args:
        return None
    given = call.args[0]
    if not isinstance(given, ast.Call) or last_name(given.func) != "state_dict":
        return None
    into, source = dotted(call.func.value), dotted(getattr(given.func, "value", given))
    return into if source is not None and into != source else None


def _averaged(loop: ast.For) -> str | None:
    if not isinstance(loop.iter, ast.Call) or not zips_items(last_name(loop.iter.func)) or len(loop.iter.args) != 2:
        return None
    if not isinstance(loop.target, ast.Tuple) or len(loop.target.elts) != 2:
        return None
    networks = [_network_of(item) for item in loop.iter.args]
    if None in networks or networks[0] == networks[1]:
        return None
    written = {name for part in nodes_in(loop) for name in _written(part)}
    into = [
        network
        for network, item in zip(networks, loop.target.elts, strict=True)
        if isinstance(item, ast.Name) and item.id in written
    ]
    return into[0] if len(into) == 1 else None


def _network_of(parameters: ast.expr) -> str | None:
    if isinstance(parameters, ast.Call) and last_name(parameters.func) in ("parameters", "buffers"):
        return dotted(getattr(parameters.func, "value", parameters))
    return None


def _written(node: ast.AST) -> Iterator[str]:
    """The parameter that a statement fills: `p` for `p.data.copy_(...)` and `p.data = ...`."""
    filled: list[ast.expr] = []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _IN_PLACE:
        filled.append(node.func.value)
    elif isinstance(node, ast.Assign):
        filled += [target for target in node.targets if isinstance(target, ast.Attribute)]
    for item in filled:
        name = dotted(item)
        if name is not None:
            yield name.removesuffix(".data")


def forwards_for_nothing(file: SemanticModel, copy: ast.AST) -> list[Place]:
    """Forwards, in training, that build a graph through a network which the file only ever copies others into.

    Only where the file hands parameters to an optimizer, and never those of this network or of one that holds it:
    else another file may train it.
    """
    network = copied_to(copy)
    if network is None or not _is_never_trained(file, network):
        return []
    return [
        place
        for place in forwards_with_graph(file, file.outline.module)
        if _runs(file, place, network)
        and file.heats.of(place.block).heat in _TRAINING
        and not any(file.loops.kind(block) is LoopKind.EVAL for block in _loops_around(place))
        and not _passes_gradients_on(file, place)
    ]


def _runs(file: SemanticModel, place: Place, network: str) -> bool:
    model = model_run_by(file, place)
    return model is not None and dotted(model) == network


def _loops_around(place: Place) -> list[Block]:
    return [block for block in place.block.outwards() if block.kind is BlockKind.LOOP]


@once
def _is_never_trained(file: SemanticModel, network: str) -> bool:
    optimized = False
    for place in file.outline.calls.get("parameters", ()):
        owner = dotted(getattr(getattr(place.node, "func", None), "value", place.node))
        if owner is None:
            return False
        if isinstance(place.statement, ast.For):
            continue  # a copy, parameter by parameter
        if network == owner or network.startswith(owner + "."):
            return False
        optimized = optimized or _builds_optimizer(file, place)
    return optimized and not _is_frozen_elsewhere(file, network)


def _builds_optimizer(file: SemanticModel, place: Place) -> bool:
    return any(
        isinstance(part, ast.Call) and file.kinds.of(part, place.block).kind is Kind.OPTIMIZER
        for part in nodes_in(place.statement)
    )


def _is_frozen_elsewhere(file: SemanticModel, network: str) -> bool:
    return any(
        _FREEZING.search(name) and any(dotted(item) == network for item in getattr(place.node, "args", ()))
        for name, places in file.outline.calls.items()
        for place in places
    )


def _passes_gradients_on(file: SemanticModel, place: Place) -> bool:
    """Whether a forward's arguments may carry the graph of a trained network, so that gradients flow through it."""
    assert isinstance(place.node, ast.Call)
    given = [*place.node.args, *(keyword.value for keyword in place.node.keywords)]
    return any(
        file.kinds.of(item, place.block).attached is True and not _comes_from_copies(file, item, place.block)
        for item in given
    )


def _comes_from_copies(file: SemanticModel, node: ast.expr, block: Block) -> bool:
    """Whether what carries a graph here is surely the output of other such networks, as a target policy's action."""
    copies = {copied_to(item.node) for item in (*file.outline.calls.get("load_state_dict", ()), *file.outline.loops)}
    if not _modules_called(file, node, block) <= copies:
        return False
    names = [part for part in nodes_in(node) if isinstance(part, ast.Name)]
    return all(_is_made_by(file, copies, item, block) for item in names if file.kinds.of(item, block).attached is True)


def _is_made_by(file: SemanticModel, networks: set[str | None], name: ast.Name, block: Block) -> bool:
    for binding in reaching(name.id, block, position(name)):
        if binding.how is not How.ASSIGN or binding.value is None:
            return False
        run = _modules_called(file, binding.value, binding.block)
        if not run or not run <= networks:
            return False
    return True


def _modules_called(file: SemanticModel, node: ast.expr, block: Block) -> set[str | None]:
    """The modules that an expression calls, themselves or by a method."""
    found: set[str | None] = set()
    for part in nodes_in(node):
        if isinstance(part, ast.Call):
            owners = [part.func, getattr(part.func, "value", part.func)]
            found.update(dotted(item) for item in owners if file.kinds.of(item, block).kind is Kind.MODULE)
    return found
