"""Whether functions that a loop hands its batches to copy them to the device."""

from __future__ import annotations

from collections.abc import Mapping

from trainlint.analysis.callgraph.call_graph import CallGraph
from trainlint.analysis.callgraph.skeleton import Handing
from trainlint.analysis.effects.effect import Effect, EffectKind
from trainlint.analysis.project.summary import Draw


def copied_by_calls(draw: Draw, net: CallGraph, first_call: int, effects: Mapping[int, tuple[Effect, ...]]) -> bool:
    """Whether a call in a loop, given a batch, runs a function that copies this to the device.

    `first_call` is the number in the network of the first call of the loop's file, `effects` what functions do.
    """
    return any(
        effect.kind is EffectKind.COPIES and effect.of == _parameter(net.functions[edge.function].parameters, where)
        for number, where in draw.handed
        for edge in net.callees.get(first_call + number, ())
        if edge.how is Handing.CALLED
        for effect in effects.get(edge.function, ())
    )


def _parameter(parameters: tuple[str, ...], where: int | str) -> str:
    """The parameter that an argument at a place, or with a keyword, is passed for; "" where there is none."""
    if isinstance(where, str):
        return where
    return parameters[where] if where < len(parameters) else ""
