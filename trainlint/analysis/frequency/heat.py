"""How often the lines of one file run, in units of training."""

from __future__ import annotations

from trainlint.analysis.callgraph.skeleton import Skeleton
from trainlint.analysis.frequency.heat_fact import HeatFact
from trainlint.analysis.frequency.heat_flow import FrequencyFixpoint, limited_in_test_file
from trainlint.analysis.syntax.blocks import Block, Function


class Heats:
    """Heat of one file's blocks and functions."""

    def __init__(self, skeleton: Skeleton, flow: FrequencyFixpoint, numbers: dict[Function, int]) -> None:
        self.skeleton = skeleton
        self.flow = flow
        self.numbers = numbers
        self._known: dict[Block, HeatFact] = {}

    def of(self, block: Block) -> HeatFact:
        """The heat of code that stands directly in a block."""
        fact = self._known.get(block)
        if fact is None:
            fact = self.flow.of(block.number)
            self._known[block] = fact = limited_in_test_file(fact) if self.skeleton.is_test_file else fact
        return fact

    @property
    def any_in_step(self) -> bool:
        """Whether any code of the file runs in each training step."""
        return self.flow.any_in_step

    def function(self, function: Function) -> HeatFact:
        """The heat of a function's body as a whole."""
        return self.flow.function(self.numbers[function])
