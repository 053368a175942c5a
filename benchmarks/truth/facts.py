"""What runs show besides waits: forwards of evaluation that build a graph, garbage collection, collectives, and memory
that grows. Each fact has the name of the symptom that rules declare.
"""

from __future__ import annotations

import gc
import inspect
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeAlias
from unittest import mock

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils import _pytree

from benchmarks.truth.record import UNUSED_GRAPH, Fact
from trainlint.symptoms import Symptom
from trainlint_probe.simulated.events import Cause, Kind, Log, What

Lines: TypeAlias = "tuple[tuple[str, int], ...]"
"""File and line of each frame of the packages, the innermost first."""
_EVALUATION = Symptom.EVALUATION_WITH_GRADIENTS.value


class Facts:
    """Collects facts while a script runs."""

    def __init__(self, log: Log, is_counted: Callable[[str], bool]) -> None:
        self._log = log
        self._is_counted = is_counted
        self._seen: dict[tuple[str, Lines], Counter[int]] = defaultdict(Counter)
        """What, where → how often in each step."""
        self._without_backward: list[tuple[str, Lines, int, list[bool]]] = []
        """Forwards that autograd recorded: what each is where no backward goes through it, where, in which step, and
        whether one did."""
        self._depth = 0
        log.listeners.append(self._note)

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Look on, inside of this."""
        original = gc.collect

        def collect(*generation: int) -> int:
            self._add(Symptom.GARBAGE_COLLECTION, self._lines(inspect.currentframe()))
            return original(*generation)

        before = register_module_forward_pre_hook(self._entered)
        # Also where a forward raises: otherwise the depth would stay wrong.
        after = register_module_forward_hook(self._left, always_call=True)
        try:
            with mock.patch.object(gc, "collect", collect):
                yield
        finally:
            before.remove()
            after.remove()

    def found(self, window: range, shown: Callable[[str], str]) -> Iterator[Fact]:
        """The facts of some steps.

        Args:
            window: the log's numbers of the steps.
            shown: gives the path of a package's file as reports have it.
        """
        for symptom, lines, step, is_trained in self._without_backward:
            if not is_trained:
                self._seen[symptom, lines][step] += 1
        for (symptom, lines), counts in self._seen.items():
            steps = tuple(sorted(step for step in counts if step in window))
            # Evaluations come between the steps, and the last one after them.
            if steps or (symptom == _EVALUATION and max(counts) >= window.start):
                places = tuple((shown(path), line) for path, line in lines)
                yield Fact(symptom, places, counts.total(), steps)

    def _entered(self, module: torch.nn.Module, inputs: Any) -> None:
        self._depth += 1

    def _left(self, module: torch.nn.Module, inputs: Any, output: Any) -> None:
        self._depth -= 1
        if self._depth or not torch.is_grad_enabled():
            return
        leaves = _pytree.tree_leaves(output)
        nodes = [leaf.grad_fn for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.grad_fn is not None]
        lines = self._lines(inspect.currentframe())
        if nodes and lines:
            is_trained: list[bool] = []
            for node in nodes:
                node.register_prehook(lambda _: is_trained.append(True))
            symptom = UNUSED_GRAPH if module.training else _EVALUATION
            self._without_backward.append((symptom, lines, self._log.step, is_trained))

    def _note(self, what: What, size: int, cause: Cause) -> None:
        if what.kind is Kind.COLLECTIVE:
            places = ((place.path, place.line) for place in cause.chain if self._is_counted(place.path))
            self._add(Symptom.COLLECTIVE, tuple(places))

    def _add(self, symptom: Symptom, lines: Lines) -> None:
        if lines:
            self._seen[symptom.value, lines][self._log.step] += 1

    def _lines(self, frame: FrameType | None) -> Lines:
        return tuple(counted_lines(frame, self._is_counted))


def counted_lines(frame: FrameType | None, is_counted: Callable[[str], bool]) -> Iterator[tuple[str, int]]:
    """The lines that are being executed in files that count, innermost first, from a frame outward."""
    while frame is not None:
        if is_counted(frame.f_code.co_filename):
            yield frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back


def growth(live: Sequence[int], share: float) -> int:
    """By how many bytes a step the memory of live tensors grows; 0 where it grows in fewer than `share` of the steps.

    Args:
        live: the bytes after each step. The first half is left out: optimizers and caches fill up in it.
        share: 0 to 1.
    """
    rest = live[len(live) // 2 :]
    grown = [after - before for before, after in itertools.pairwise(rest)]
    if not grown or sum(each > 0 for each in grown) < share * len(grown):
        return 0
    return max(0, sum(grown) // len(grown))
