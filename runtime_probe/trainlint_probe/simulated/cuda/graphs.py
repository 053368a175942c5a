"""CUDA graphs: what is captured is written down, and a replay computes it again on the same tensors.

A capture runs no kernel on a GPU. Here its operators run once, for the shapes and types of what they make; what they
wrote into tensors that were there before is undone at its end, and so are the random numbers that they drew.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import torch

from trainlint_probe.simulated.cuda import streams
from trainlint_probe.simulated.descriptions.description import Operator
from trainlint_probe.simulated.errors import no_wait_in_capture, not_captured
from trainlint_probe.simulated.events import Kind, What
from trainlint_probe.simulated.operators import Operators
from trainlint_probe.simulated.places import tensors
from trainlint_probe.watch.patches import Patches

_UNCAPTURED = "Called CUDAGraph::replay without a preceding successful capture."


class _Call(NamedTuple):
    """An operator of a graph."""

    operator: Operator
    args: Any
    kwargs: Any
    made: tuple[Any, ...]
    """Its results; None for those that share the memory of an argument."""


class Capture:
    """What a graph holds."""

    def __init__(self, operators: Operators) -> None:
        self.operators = operators
        self.calls: list[_Call] = []
        self.events: list[tuple[What, int]] = []
        """Copies and exchanges that do not block, with their bytes: they happen in each replay."""
        self.failed = False
        self._made: set[int] = set()
        """Storages that were made here; `calls` keeps them alive, so that their numbers stay theirs."""
        self._before: dict[int, tuple[Any, Any]] = {}
        """Storages that were there before → their bytes, and a copy of them."""
        self._chance = torch.get_rng_state()

    def happened(self, what: What, size: int) -> None:
        """In the place of the log. Raises RuntimeError, as CUDA does, where the host would wait."""
        if what.kind is Kind.WAIT or what.blocking:
            self.failed = True
            raise no_wait_in_capture(what.name)
        self.events.append((what, size))

    def run(self, operator: Operator, args: Any, kwargs: Any) -> Any:
        """Run an operator, and write it down if the device is to do it."""
        given = list(tensors((args, kwargs)))
        is_devices = any(self.operators.places.device(tensor) is not None for tensor in given)
        if any(tensor.layout is not torch.strided or tensor.is_nested for tensor in given):
            self.failed = True
            raise not_captured(operator.name)
        if is_devices:
            self._save(operator, args, kwargs, given)
        out = self.operators.run(operator, args, kwargs)
        if is_devices or not given:
            self._add(operator, args, kwargs, given, out)
        return out

    def copied(self, source: Any, copy: Any) -> None:
        """A copy between host and device was queued."""
        copy_ = torch.ops.aten.copy_.default
        self._made.add(copy.untyped_storage()._cdata)
        self.calls.append(_Call(self.operators.described(copy_), (copy.detach(), source.detach()), {}, ()))

    def end(self) -> None:
        """Undo what a capture does not do."""
        places = self.operators.places
        # What was made of no tensor is the device's if it was put there after its operator had run.
        self.calls = [call for call in self.calls if any(places.device(t) is not None for t in _all_of(call))]
        with self.operators.uncounted(), torch.no_grad():
            for now, before in self._before.values():
                now.copy_(before)
        self._before.clear()
        torch.set_rng_state(self._chance)

    def replay(self) -> None:
        """Compute again what was captured."""
        operators = self.operators
        if self.failed or operators.capture is not None:
            raise RuntimeError(_UNCAPTURED)
        with operators.uncounted(), torch.no_grad(), torch._C._AutoDispatchBelowADInplaceOrView():
            for call in self.calls:
                out = call.operator.call(*call.args, **call.kwargs)
                for captured, new in zip(call.made, _results(out), strict=False):
                    if captured is not None:
                        captured.copy_(new)
        is_first = True
        for call in self.calls:
            if call.operator.launches and not self._is_between_places(call):
                operator = call.operator if is_first else replace(call.operator, queued=False)
                operators.launched(operator, call.args, call.made)
                is_first = False
        for what, size in self.events:
            operators.log.note(what, size)

    def _add(self, operator: Operator, args: Any, kwargs: Any, given: list[Any], out: Any) -> None:
        shared = {tensor.untyped_storage()._cdata for tensor in given}
        made = tuple(None if tensor.untyped_storage()._cdata in shared else tensor.detach() for tensor in _results(out))
        self._made.update(tensor.untyped_storage()._cdata for tensor in made if tensor is not None)
        if any(tensor is not None for tensor in made) or _written(operator, args, kwargs):
            words = {**kwargs, "device": torch.device("cpu")} if "device" in kwargs else kwargs
            self.calls.append(_Call(operator, args, words, made))

    def _is_between_places(self, call: _Call) -> bool:
        """Whether it copies between host and device, which is no kernel."""
        device = self.operators.places.device
        return call.operator.name == "copy_" and device(call.args[0]) != device(call.args[1])

    def _save(self, operator: Operator, args: Any, kwargs: Any, given: list[Any]) -> None:
        """Keep what an operator may write into: of the device everything, as schemas do not tell all (that of
        native_batch_norm says nothing of the running mean).
        """
        places = self.operators.places
        on_device = [tensor for tensor in given if places.device(tensor) is not None]
        for tensor in (*on_device, *_written(operator, args, kwargs)):
            storage = tensor.untyped_storage()
            if storage._cdata not in self._made and storage._cdata not in self._before:
                with self.operators.uncounted(), torch.no_grad():
                    now = torch.empty(0, dtype=torch.uint8).set_(storage)
                    self._before[storage._cdata] = (now, now.clone())


def _written(operator: Operator, args: Any, kwargs: Any) -> list[Any]:
    """The tensors that an operator writes into."""
    found = []
    for at, argument in enumerate(operator.func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            found.append(args[at] if at < len(args) else kwargs.get(argument.name))
    return list(tensors(found))


def _results(out: Any) -> list[Any]:
    return list(tensors((out,)))


def _all_of(call: _Call) -> list[Any]:
    return list(tensors((call.args, call.kwargs, call.made)))


def install(patches: Patches, operators: Operators) -> None:
    """Put graphs in the place of PyTorch's own."""
    capturing = streams.is_capturing

    class CUDAGraph:
        """As `torch.cuda.CUDAGraph`."""

        def __init__(self, keep_graph: bool = False) -> None:
            self.capture: Capture | None = None

        def capture_begin(self, pool: Any = None, capture_error_mode: str = "global", **_: Any) -> None:
            """From now on, nothing is run."""
            if capturing():
                raise RuntimeError("Capture must not be called while another capture is underway.")
            if streams.current_stream() is streams.DEFAULT:
                raise RuntimeError(
                    "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to "
                    "replay them on the default stream.)"
                )
            self.capture = operators.capture = Capture(operators)
            operators.log.in_place = self.capture.happened

        def capture_end(self) -> None:
            """The graph is complete."""
            operators.capture = operators.log.in_place = None
            if self.capture is not None:
                self.capture.end()

        def replay(self) -> None:
            """Run all of it."""
            if self.capture is None:
                raise RuntimeError(_UNCAPTURED)
            self.capture.replay()

        def instantiate(self) -> None:
            """It is ready."""

        def reset(self) -> None:
            """Forget it."""
            self.capture = None

        def pool(self) -> tuple[int, int]:
            """Its memory, by a number."""
            return (0, id(self))

        def enable_debug_mode(self) -> None:
            """Nothing is kept for that."""

    class graph:  # noqa: N801 - PyTorch's name
        """As `torch.cuda.graph`, a context."""

        def __init__(
            self,
            cuda_graph: CUDAGraph,
            pool: Any = None,
            stream: Any = None,
            capture_error_mode: str = "global",
            **_: Any,
        ) -> None:
            self.cuda_graph = cuda_graph
            self.stream = streams.StreamContext(stream or streams.Stream())

        def __enter__(self) -> None:
            torch.cuda.synchronize()
            torch.cuda.empty_cache()
            self.stream.__enter__()
            self.cuda_graph.capture_begin()

        def __exit__(self, *_: object) -> None:
            self.cuda_graph.capture_end()
            self.stream.__exit__()

    for module in (torch.cuda, torch.cuda.graphs):
        patches.put(module, "CUDAGraph", CUDAGraph)
        patches.put(module, "graph", graph)
        patches.put(module, "graph_pool_handle", lambda: (0, 0))
        patches.put(module, "is_current_stream_capturing", capturing)
    patches.put(torch._C, "_cuda_isCurrentStreamCapturing", capturing)
