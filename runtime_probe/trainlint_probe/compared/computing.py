"""What a training computes in each step, so that two runs of it can be compared bit by bit."""

from __future__ import annotations

import ctypes
import functools
import gc
import hashlib
import os
import sys
import threading
import weakref
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from math import fsum, sqrt
from time import perf_counter_ns
from typing import Any, TypeVar

import torch
from torch.compiler import is_compiling
from torch.nn.parameter import is_lazy
from torch.optim.optimizer import register_optimizer_step_post_hook

from trainlint.evidence.run import Computation, Computed

_Item = TypeVar("_Item")
_VECTOR_MATH = "acos asin atan ceil cos cosh erf erfc exp expm1 floor log log10 log1p log2 sin sinh sqrt tan tanh trunc"
"""What ATen gives to Intel's vector library (aten/src/ATen/cpu/vml.h), by its name in PyTorch."""


class Computing:
    """Keeps the losses of each step of a process, and a digest of the parameters after it."""

    def __init__(
        self,
        quietly: Callable[[], AbstractContextManager[None]],
        draws: Sequence[tuple[int, int]],
        *,
        each_step: bool,
    ) -> None:
        """`quietly` surrounds what is done here and must not be counted. `draws` is when random numbers were drawn, and
        how many, as it grows: below 0 on a device. `each_step`: whether parameters are read after each step, and not at
        the end alone, which takes time.
        """
        self._quietly = quietly
        self._draws = draws
        self._each_step = each_step
        self._losses: list[tuple[int, torch.Tensor]] = []
        """When backward was called, and a copy of what it was called on. Read at the end, so that no step waits."""
        self._optimizers: weakref.WeakSet[Any] = weakref.WeakSet()
        self._digests: list[tuple[int, str]] = []
        """When an optimizer had stepped, and the digest of the parameters then."""
        self._is_read = False

    def install(self) -> None:
        """Begin to watch, before the hooks that end steps: what belongs to a step is kept before its end.

        `Tensor.backward` goes through `torch.autograd.backward` as well.
        """
        _settle_vector_math()
        standard = torch.autograd.backward
        within = threading.local()  # a simulated device hands the call to itself, and checkpointing calls it inside

        @functools.wraps(standard)
        def backward(tensors: Any, *arguments: Any, **named: Any) -> Any:
            if is_compiling() or self._is_read or getattr(within, "backward", False):
                return standard(tensors, *arguments, **named)
            self._keep((tensors,) if isinstance(tensors, torch.Tensor) else tuple(tensors))
            within.backward = True
            try:
                return standard(tensors, *arguments, **named)
            finally:
                within.backward = False

        torch.autograd.backward = backward
        if self._each_step:
            register_optimizer_step_post_hook(self._stepped)

    def _keep(self, roots: Sequence[Any]) -> None:
        """Keep what is one number: larger tensors are parts of a graph, as re-entrant checkpointing hands them over."""
        now = perf_counter_ns()
        with self._quietly():
            losses = (root for root in roots if isinstance(root, torch.Tensor) and root.numel() == 1)
            self._losses += [(now, loss.detach().clone()) for loss in losses]

    def _stepped(self, optimizer: Any, args: object, kwargs: object) -> None:
        if self._is_read:
            return
        now = perf_counter_ns()
        self._optimizers.add(optimizer)
        with self._quietly():
            held = (tensor for each in self._optimizers for group in each.param_groups for tensor in group["params"])
            self._digests.append((now, _digest_and_norm(held)[0]))

    def read(self, marks: Sequence[int], is_users: Callable[[str], bool]) -> Computation:
        """What was computed in the steps that end with these marks, nanoseconds of time.perf_counter_ns. Waits for the
        device. Nothing is kept from then on.
        """
        self._is_read = True
        losses: list[list[str]] = [[] for _ in marks]
        digests = [""] * len(marks)
        for step, loss in _by_step(self._losses, marks):
            losses[step].append(repr(loss.item()))
        for step, digest in _by_step(self._digests, marks):
            digests[step] = digest
        draws: list[list[int]] = [[] for _ in marks]
        for step, numbers in _by_step(self._draws, marks):
            draws[step].append(numbers)
        state, norm = _digest_and_norm(_all_tensors())
        steps = tuple(
            Computed(tuple(numbers), digest, tuple(drawn))
            for numbers, digest, drawn in zip(losses, digests, draws, strict=True)
        )
        return Computation(steps, state, norm, _sources(is_users))


def _settle_vector_math() -> None:
    """Call each vector function of the CPU once, in one thread.

    Intel's library chooses a kernel in the first call. Where several threads make it at once, one of them may compute
    its part with fewer digits, so that two runs differ (https://github.com/pytorch/pytorch/issues/188792).
    """
    for dtype in (torch.float32, torch.float64):
        one = torch.ones(1, dtype=dtype, device="cpu")
        for name in _VECTOR_MATH.split():
            getattr(torch, name)(one)


def _by_step(items: Iterable[tuple[int, _Item]], marks: Sequence[int]) -> Iterator[tuple[int, _Item]]:
    """What was noted at a time, with the step that the time is in; without what came after the last one."""
    for at, item in items:
        if (step := bisect_left(marks, at)) < len(marks):
            yield step, item


def _sources(is_users: Callable[[str], bool]) -> tuple[str, ...]:
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    return tuple(sorted({os.path.realpath(file) for file in files if isinstance(file, str) and is_users(file)}))


def _digest_and_norm(tensors: Iterable[torch.Tensor]) -> tuple[str, float | None]:
    """The SHA-256 digest of tensors in any order, and their Euclidean norm; ("", None) where there are none."""
    digests, squares = [], []
    for values in _values(tensors):
        on_host = values.detach().cpu().contiguous()
        digests.append(_digest(on_host))
        if on_host.is_floating_point():
            squares.append(float(on_host.double().square().sum()))
    if not digests:
        return "", None
    return hashlib.sha256(b"".join(sorted(digests))).hexdigest(), sqrt(fsum(squares))


def _all_tensors() -> Iterator[torch.Tensor]:
    """All parameters, and all buffers that are saved, whoever holds them. Those that are not are constants of the code:
    what is computed with them shows in the losses and in all else.
    """
    gc.collect()  # what is only waiting to be collected must not count in one run and be gone in the next
    for holder in gc.get_objects():
        # By type(): `isinstance` asks some proxies for their class, and wakes what they stand for.
        if issubclass(type(holder), torch.nn.Module):
            yield from holder._parameters.values()  # noqa: SLF001 - its own, without its parts'
            unsaved = holder._non_persistent_buffers_set  # noqa: SLF001 - nothing else tells them
            yield from (each for name, each in holder._buffers.items() if name not in unsaved)  # noqa: SLF001 - as above
        elif issubclass(type(holder), torch.optim.Optimizer):
            yield from (parameter for group in holder.param_groups for parameter in group["params"])


def _values(tensors: Iterable[Any]) -> Iterator[torch.Tensor]:
    """The tensors that hold numbers, each once."""
    seen: set[int] = set()
    for tensor in tensors:
        if tensor is None or id(tensor) in seen or is_lazy(tensor):
            continue
        seen.add(id(tensor))
        local = getattr(tensor, "to_local", None)  # of a distributed tensor, this process holds a part
        values = tensor if local is None else local()
        if values.layout is torch.strided and not values.is_meta:
            yield values


def _digest(values: torch.Tensor) -> bytes:
    """The digest of a tensor in the host's memory, which lies there without gaps."""
    found = hashlib.sha256(f"{values.dtype} {tuple(values.shape)}".encode())
    # Read in place: not every data type has a NumPy one, and NumPy need not be there at all.
    found.update((ctypes.c_char * (values.numel() * values.element_size())).from_address(values.data_ptr()))
    return found.digest()
