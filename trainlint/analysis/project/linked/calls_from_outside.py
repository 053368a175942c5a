"""What the calls in other files say of a file's functions: whether autograd is off, and what comments there silence."""

from __future__ import annotations

from functools import cached_property

from trainlint.analysis.callgraph.call_graph import CallGraph, Edge
from trainlint.analysis.callgraph.skeleton import NOWHERE, Handing
from trainlint.analysis.programs.grad_mode import functions_off
from trainlint.analysis.project.linked.network import LinkedNetwork

_DEEPEST = 3
"""Through how many calls code of another file may run."""


class CallsFromOutside:
    """The calls from file to file, by the functions that they run."""

    def __init__(self, network: LinkedNetwork) -> None:
        self._network = network

    @cached_property
    def _off(self) -> list[bool]:
        """Gradient mode of all functions."""
        return functions_off(self._network.linked, {})

    def gradients_off(self, edges: list[Edge]) -> bool:
        """Whether all calls of a function from other files have autograd off."""
        callers = [
            (edge.call, self._network.net.function_of[self._network.net.call_block[edge.call]])
            for edge in edges
            if edge.how in (Handing.CALLED, Handing.RUN)
        ]
        return bool(callers) and all(
            self._network.net.calls[call].off or (caller != NOWHERE and self._off[caller]) for call, caller in callers
        )

    def ignored_at(self, file: int) -> dict[str, tuple[str, ...]]:
        """Path and line of each call in other files with an ignore comment → the words of the comment."""
        here = self._network.groups[file]
        return {
            f"{path}:{line}": words
            for other, group, path, line, words in self._ignored
            if other != file and group == here
        }

    @cached_property
    def _ignored(self) -> list[tuple[int, int, str, int, tuple[str, ...]]]:
        """The calls with an ignore comment: file, group, path and line, with the words of the comment."""
        return [
            (file, group, summary.skeleton.path, line, words)
            for file, (summary, group) in enumerate(zip(self._network.summaries, self._network.groups, strict=True))
            for line, words in summary.ignored.items()
        ]

    def leaving(self, file: int) -> tuple[int, ...]:
        """The lines with an ignore comment and a call that runs code of other files."""
        net, lines = self._network.linked, self._network.summaries[file].ignored
        calls = enumerate(self._network.summaries[file].skeleton.calls, net.first_call[file]) if lines else ()
        found = {call.line for number, call in calls if call.line in lines and _leaves_file(net, number)}
        return tuple(sorted(found))


def _leaves_file(net: CallGraph, call: int) -> bool:
    """Whether a call runs code of another file, itself or through at most three calls."""
    home, level = net.file_of_call(call), [call]
    for _ in range(_DEEPEST):
        functions = [edge.function for each in level for edge in net.callees.get(each, ())]
        if any(net.file_of_function[function] != home for function in functions):
            return True
        level = [each for function in functions for each in net.calls_in.get(function, ())]
    return False
