"""How often the lines of one file run, in units of training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trainlint.analysis.callgraph.skeleton import Skeleton
from trainlint.analysis.frequency.call_sites import hot_calls
from trainlint.analysis.frequency.heat_fact import HeatFact
from trainlint.analysis.frequency.heat_flow import FrequencyFixpoint, limited_in_test_file
from trainlint.analysis.syntax.blocks import Block, Function
from trainlint.finding import RelatedPlace


class Heats:
    """Heat of one file's blocks and functions."""

    def __init__(
        self,
        skeleton: Skeleton,
        flow: FrequencyFixpoint,
        numbers: dict[Function, int],
        called_at: Mapping[int, Sequence[RelatedPlace]],
    ) -> None:
        self.skeleton = skeleton
        self.flow = flow
        self.numbers = numbers
        self.called_at = called_at
        """Function → the calls of it in other files."""
        self._known: dict[Block, HeatFact] = {}
        self._calls: dict[int, tuple[RelatedPlace, ...]] = {}

    def of(self, block: Block) -> HeatFact:
        """The heat of code that stands directly in a block."""
        fact = self._known.get(block)
        if fact is None:
            fact = self.flow.of(block.number)
            self._known[block] = fact = limited_in_test_file(fact) if self.skeleton.is_test_file else fact
        return fact

    def calls_of(self, function: Function) -> tuple[RelatedPlace, ...]:
        """The calls through which a function runs in each training step, in this file and in others, nearest first."""
        number = self.numbers[function]
        if number not in self._calls:
            self._calls[number] = hot_calls(self.flow, number, imported_calls=self.called_at)
        return self._calls[number]

    @property
    def any_in_step(self) -> bool:
        """Whether any code of the file runs in each training step."""
        return self.flow.any_in_step

    def function(self, function: Function) -> HeatFact:
        """The heat of a function's body as a whole."""
        return self.flow.function(self.numbers[function])
