"""The calls through which a function runs in each training step, nearest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from trainlint.analysis.callgraph.call_graph import CallGraph, Edge
from trainlint.analysis.callgraph.skeleton import NOWHERE, Handing
from trainlint.analysis.frequency.heat_flow import FrequencyFixpoint
from trainlint.finding import RelatedPlace

MOST = 8
"""How many calls are told of a function."""
_DEEPEST = 3
"""Through how many calls they may reach it."""
_LEAST_SURE = 0.8
"""How sure it must be that a call runs the function: surer than where only the name of a method tells."""
_OF_MODULES = frozenset({"forward", "backward", "__call__", "__getitem__"})
"""Methods that the whole program runs through: who calls them says nothing of a line in them."""


def hot_calls(
    flow: FrequencyFixpoint,
    function: int,
    edges: Sequence[Edge] | None = None,
    imported_calls: Mapping[int, Sequence[RelatedPlace]] | None = None,
) -> tuple[RelatedPlace, ...]:
    """The calls that run a function in each training step, then the calls of their functions, and so on.

    Of the function's own callers only `edges`, where these are given; `imported_calls` are calls in files out of
    sight, by function. At most `MOST`, through at most three calls.
    """
    net = flow.net
    found: dict[RelatedPlace, None] = {}
    seen = {function}
    level: list[tuple[int, Iterable[Edge]]] = [
        (function, edges if edges is not None else net.callers.get(function, ()))
    ]
    for _ in range(_DEEPEST):
        above: list[tuple[int, Iterable[Edge]]] = []
        for called, calls in level:
            if net.functions[called].name in _OF_MODULES:
                continue
            for edge in _in_step(flow, called, calls):
                found[_related_place(net, edge)] = None
                if len(found) >= MOST:
                    return tuple(found)
                caller = net.function_of[net.call_block[edge.call]]
                if caller != NOWHERE and caller not in seen and flow.function(caller).heat.in_step:
                    seen.add(caller)
                    above.append((caller, net.callers.get(caller, ())))
            found |= dict.fromkeys((imported_calls or {}).get(called, ()))
        level = above
    return tuple(found)[:MOST]


def leaves_file(net: CallGraph, call: int) -> bool:
    """Whether a call runs code of another file, itself or through at most three calls."""
    home, level = net.file_of_call(call), [call]
    for _ in range(_DEEPEST):
        functions = [edge.function for each in level for edge in net.callees.get(each, ())]
        if any(net.file_of_function[function] != home for function in functions):
            return True
        level = [each for function in functions for each in net.calls_in.get(net.body_block(function), ())]
    return False


def _in_step(flow: FrequencyFixpoint, function: int, edges: Iterable[Edge]) -> Iterator[Edge]:
    for edge in sorted(edges, key=lambda edge: edge.call):
        if edge.how in (Handing.CALLED, Handing.RUN) and edge.confidence >= _LEAST_SURE:
            fact = flow.heat_along(function, edge)
            if fact is not None and fact.heat.in_step:
                yield edge


def _related_place(net: CallGraph, edge: Edge) -> RelatedPlace:
    call, path = net.calls[edge.call], net.skeletons[net.file_of_call(edge.call)].path
    words = f"calls `{net.functions[edge.function].qualified_name}` in every training step"
    return RelatedPlace(path, call.line, call.column, words)
