"""Effects of functions, carried from the functions that have them to those that call these, in a file or a project."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from trainlint.analysis.callgraph.call_graph import CallGraph
from trainlint.analysis.callgraph.skeleton import NOWHERE, Handing
from trainlint.analysis.effects.effect import CalledFunction, Effect, EffectKind
from trainlint.analysis.syntax.blocks import BlockKind

MOST = 8
"""How many effects of a function are kept, nearest first."""
_CARRIED = frozenset({EffectKind.REDUCES})
_CARRIED_ANYHOW = frozenset({EffectKind.DIFFERENTIATES})
"""What concerns no parameter, and matters however seldom it is done."""
"""What a caller does as well."""


def spread_effects(
    net: CallGraph,
    own: Mapping[int, Sequence[Effect]],
    imported_effects: Mapping[int, Sequence[CalledFunction]],
) -> dict[int, tuple[Effect, ...]]:
    """What each function does, itself or through those that it calls.

    `own` is what functions do themselves, `imported_effects` what calls run outside of the network. An effect on a
    parameter is carried only where the caller hands on a parameter of its own, and only where the call does not run
    seldom.
    Functions that call each other in circles are looked at until nothing changes: distances only fall.
    """
    found = {function: tuple(effects) for function, effects in own.items()}
    waiting = deque(found)
    for call, functions in imported_effects.items():
        for called in functions:
            carried = _carried(net, call, called.effects, called.parameters)
            waiting += _added(net, found, call, carried)
    while waiting:
        function = waiting.popleft()
        shape = net.functions[function]
        for edge in net.callers.get(function, ()):
            if edge.how is Handing.CALLED and found[function]:
                carried = _carried(net, edge.call, found[function], shape.parameters)
                waiting += _added(net, found, edge.call, carried)
    return found


def _carried(
    net: CallGraph,
    call: int,
    effects: Iterable[Effect],
    parameters: tuple[str, ...],
) -> list[Effect]:
    """What the caller does by a call, in terms of its own parameters."""
    found = []
    for effect in effects:
        if effect.kind in _CARRIED_ANYHOW:
            found.append(effect._replace(distance=effect.distance + 1))
        elif effect.kind in _CARRIED:
            handed_on = net.calls[call].passed.handed_on(effect.of, parameters)
            if handed_on is not None:
                found.append(effect._replace(of=handed_on, distance=effect.distance + 1))
    return found


def _added(net: CallGraph, found: dict[int, tuple[Effect, ...]], call: int, effects: Sequence[Effect]) -> list[int]:
    """The function around a call, if that does more, or something nearer, than was known."""
    caller = net.function_of[net.call_block[call]]
    if effects and _is_rare(net, call):
        effects = [effect for effect in effects if effect.kind in _CARRIED_ANYHOW]
    if caller == NOWHERE or not effects:
        return []
    nearest: dict[Effect, Effect] = {}
    for effect in sorted((*found.get(caller, ()), *effects), key=_order):
        nearest.setdefault(effect._replace(distance=0), effect)
    new = tuple(nearest.values())[:MOST]
    if new == found.get(caller, ()):
        return []
    found[caller] = new
    return [caller]


def _order(effect: Effect) -> tuple[int, str, int, str, str]:
    return effect.distance, effect.path, effect.line, effect.kind.value, effect.of


def _is_rare(net: CallGraph, call: int) -> bool:
    """Whether a call stands behind a test, within its function, that seldom holds."""
    for block in net.outwards(net.call_block[call]):
        shape = net.shapes[block]
        if shape.kind in (BlockKind.FUNCTION, BlockKind.MODULE):
            return False
        if shape.words:
            return True
    return False
