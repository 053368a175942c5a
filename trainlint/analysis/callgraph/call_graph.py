"""Skeletons laid side by side: one numbering of blocks, functions and calls, and who calls whom, both ways."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from trainlint.analysis.callgraph.skeleton import NOWHERE, CallShape, FunctionShape, Handing, Shape, Skeleton
from trainlint.analysis.syntax.blocks import BlockKind


class Edge(NamedTuple):
    """One way in which a call runs a function, by their numbers in the network."""

    call: int
    function: int
    confidence: float
    how: Handing


class CallGraph:
    """The blocks, functions and calls of several files under one numbering, in the order of the files."""

    def __init__(self, skeletons: Sequence[Skeleton]) -> None:
        self.skeletons = skeletons
        self.first_block: list[int] = []
        """For each file, the number of its first block here; likewise below."""
        self.first_function: list[int] = []
        self.first_call: list[int] = []
        self.shapes: list[Shape] = []
        self.parents: list[int] = []
        self.functions: list[FunctionShape] = []
        self.calls: list[CallShape] = []
        self.call_block: list[int] = []
        self.function_of: list[int] = []
        """Block → the innermost function around it, or NOWHERE."""
        self.calls_in: dict[int, list[int]] = {}
        """Function → the calls in it, but for those in functions inside of it."""
        self.file_of_function: list[int] = []
        self.callers: dict[int, list[Edge]] = {}
        self.callees: dict[int, list[Edge]] = {}
        """Call → what it runs."""

    def outwards(self, block: int) -> Iterable[int]:
        """A block and all around it, innermost first."""
        while block != NOWHERE:
            yield block
            block = self.parents[block]

    def outside_block(self, function: int) -> int:
        """The block in which a function is defined."""
        return self.first_block[self.file_of_function[function]] + self.functions[function].outside

    def connect(self, edge: Edge) -> None:
        """Add an edge between files."""
        self.callers.setdefault(edge.function, []).append(edge)
        self.callees.setdefault(edge.call, []).append(edge)

    def dependents(self) -> dict[int, list[int]]:
        """Function → functions whose facts may follow from its own: those it calls or hands over, those inside it."""
        found: dict[int, list[int]] = {}
        for function, edges in self.callers.items():
            for edge in edges:
                found.setdefault(self.function_of[self.call_block[edge.call]], []).append(function)
        for function in range(len(self.functions)):
            found.setdefault(self.function_of[self.outside_block(function)], []).append(function)
        found.pop(NOWHERE, None)
        return found


def build_call_graph(skeletons: Sequence[Skeleton]) -> CallGraph:
    """Number what stands in the files, with the edges inside each file."""
    net = CallGraph(skeletons)
    for number, skeleton in enumerate(skeletons):
        _add(net, number, skeleton)
    return net


def _add(net: CallGraph, number: int, skeleton: Skeleton) -> None:
    blocks, functions, calls = len(net.shapes), len(net.functions), len(net.calls)
    net.first_block.append(blocks)
    net.first_function.append(functions)
    net.first_call.append(calls)
    bodies = {function.body: functions + place for place, function in enumerate(skeleton.functions)}
    parents, function_of = net.parents, net.function_of
    for block, shape in enumerate(skeleton.shapes, blocks):
        kind = shape.kind
        parent = blocks + shape.parent if shape.parent != NOWHERE else NOWHERE
        around = function_of[parent] if parent != NOWHERE else NOWHERE
        parents.append(parent)
        function_of.append(bodies.get(block - blocks, around) if kind is BlockKind.FUNCTION else around)
    net.shapes += skeleton.shapes
    net.functions += skeleton.functions
    net.file_of_function += [number] * len(skeleton.functions)
    net.calls += skeleton.calls
    net.call_block += [blocks + call.block for call in skeleton.calls]
    for place, call in enumerate(skeleton.calls, calls):
        net.calls_in.setdefault(function_of[blocks + call.block], []).append(place)
        for link in call.links:
            net.connect(Edge(place, functions + link.function, link.confidence, link.how))
