"""How often the lines of one file run, in units of training."""

from __future__ import annotations

from trainlint.model.blocks import Block, Function
from trainlint.model.heat_fact import HeatFact
from trainlint.model.heat_flow import HeatFlow, idle
from trainlint.model.skeleton import Skeleton
from trainlint.records import dataclass


@dataclass(slots=True, eq=False)
class Heats:
    """Heat of one file's blocks and functions."""

    skeleton: Skeleton
    flow: HeatFlow
    numbers: dict[Function, int]

    def of(self, block: Block) -> HeatFact:
        """The heat of code that stands directly in a block."""
        fact = self.flow.of(block.number)
        return idle(fact) if self.skeleton.idle else fact

    def function(self, function: Function) -> HeatFact:
        """The heat of a function's body as a whole."""
        return self.flow.function(self.numbers[function])
