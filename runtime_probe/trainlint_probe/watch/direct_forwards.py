"""Modules whose `forward` is called by its name, as in `self.forward(x)`: no hook of PyTorch's sees these calls.

Which classes these are is found in one step of the warm-up, by looking at each call of Python in it. Only their
`forward` is then watched: to stand around that of every module would slow each call, and keep torch.jit from reading
them.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch
from torch.compiler import is_dynamo_compiling as is_compiling

from trainlint.evidence import Phase
from trainlint_probe.watch.phases import NUMBER
from trainlint_probe.watch.watching import Watch

_FORWARD, _EVALUATION, _BACKWARD = NUMBER[Phase.FORWARD], NUMBER[Phase.EVALUATION], NUMBER[Phase.BACKWARD]
_LOOKED_AT = 2
"""The step of the warm-up in which calls are looked at: the first one makes much that the others do not."""


class DirectForwards:
    """Those of one process."""

    def __init__(self, watch: Watch, compiled: Callable[[], int]) -> None:
        """`compiled` says how much torch.compile has compiled so far: its code is not looked into."""
        self.watch = watch
        self.compiled = compiled
        self.steps = 0
        self.found: set[type] = set()

    def step_ended(self) -> None:
        """An optimizer has stepped."""
        self.steps += 1
        if self.steps == _LOOKED_AT and sys.getprofile() is None and not self.compiled():
            sys.setprofile(self._look)
        elif self.steps == _LOOKED_AT + 1 and sys.getprofile() == self._look:
            sys.setprofile(None)
            for module in self.found:
                self._watch(module)

    def _look(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event != "call" or code.co_name != "forward" or not code.co_argcount or self._is_inside():
            return
        module = frame.f_locals.get(code.co_varnames[0])
        if isinstance(module, torch.nn.Module):
            self.found |= {
                owner for owner in type(module).__mro__ if getattr(vars(owner).get("forward"), "__code__", None) is code
            }

    def _is_inside(self) -> bool:
        """Whether the time is known to be that of a module, or of backward, that computes activations anew."""
        phases = self.watch.phases
        return phases.inside_module or phases.stack[-1] == _BACKWARD

    def _watch(self, owner: Any) -> None:
        original = owner.forward
        phases = self.watch.phases

        @functools.wraps(original)
        def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
            if is_compiling() or phases.inside_module or phases.stack[-1] == _BACKWARD:
                return original(self, *args, **kwargs)
            phases.inside_module = True
            phases.enter(_FORWARD if self.training else _EVALUATION)
            try:
                return original(self, *args, **kwargs)
            finally:
                phases.leave()
                phases.inside_module = False

        self.watch.patches.put(owner, "forward", forward)
