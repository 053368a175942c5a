"""DistributedDataParallel: where it was wrapped around what, and what its own reducer says of the backwards."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from torch.nn.parallel import DistributedDataParallel

from trainlint.evidence.places import Line
from trainlint.evidence.run import Seen
from trainlint.symptoms import Symptom
from trainlint_probe.watch.ledger import Kind, Site
from trainlint_probe.watch.lines import frame_at, maker_of
from trainlint_probe.watch.watching import Watch
from trainlint_probe.wording import units

_NAME = "DistributedDataParallel"
_REDUCED = Kind(f"the reduction of {_NAME}", Symptom.REDUCED_TOO_EARLY)


class Replicas:
    """The replicas of a process."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.made: WeakKeyDictionary[Any, Line] = WeakKeyDictionary()
        """Where each was made."""
        self.reducing: list[Site] = []
        """The backwards since the last step that have sent gradients to the other ranks."""

    def install(self) -> None:
        """Begin to watch."""
        DistributedDataParallel.__init__ = self._watch_making(DistributedDataParallel.__init__)

    def _watch_making(self, function: Callable[..., None]) -> Any:
        @functools.wraps(function)
        def wrapper(replica: Any, *args: Any, **kwargs: Any) -> None:
            function(replica, *args, **kwargs)
            made_at = self.watch.line_at(maker_of(replica, frame_at(1)))
            if made_at is not None:
                self.made[replica] = made_at

        return wrapper

    def after_backward(self) -> None:
        """A backward has ended. The flag says whether the forward before it was one of `no_sync()`."""
        if any(replica.require_forward_param_sync for replica in self.made):
            self.reducing.append(self.watch.ledger.site(_REDUCED, "", frame_at(1)))

    def after_step(self) -> None:
        """An optimizer has stepped: one reduction was enough for it."""
        if self.reducing:
            exposed = max((_exposed_ns(_logging_data(replica)) for replica in self.made), default=0)
            for site in self.reducing[:-1]:
                site.calls += 1
                site.nanoseconds += exposed
            self.reducing.clear()

    def seen(self) -> tuple[Seen, ...]:
        """What the reducers say, each at the line that wrapped the model."""
        return tuple(item for replica, at in self.made.items() for item in _of_reducer(at, _logging_data(replica)))


def _logging_data(replica: Any) -> Mapping[str, Any]:
    """What the reducer of a replica has noted, the times of its first iterations among it."""
    noted: Mapping[str, Any] = replica._get_ddp_logging_data()  # noqa: SLF001 - there is no public door
    return noted


def _exposed_ns(logging_data: Mapping[str, Any]) -> int:
    """How long a backward takes for the reduction alone, in the mean."""
    communication = int(logging_data.get("avg_backward_comm_time", 0))
    return max(communication - int(logging_data.get("avg_backward_compute_comm_overlap_time", 0)), 0)


def _of_reducer(at: Line, logging_data: Mapping[str, Any]) -> Iterator[Seen]:
    if logging_data.get("find_unused_parameters") and "unused_parameter_size" in logging_data:
        unused = int(logging_data["unused_parameter_size"])
        symptom = Symptom.RAN if unused else Symptom.UNUSED_SEARCH_IN_VAIN
        yield Seen(
            at, symptom, f"{_NAME}, with {units.size(unused)} of unused parameters" if unused else _NAME, calls=1
        )
    if not logging_data.get("gradient_as_bucket_view"):
        size = int(logging_data.get("total_parameter_size_bytes", 0))
        details = {"reason": f"buckets hold {units.size(size)} beside the gradients"}
        yield Seen(at, Symptom.GRADIENTS_KEPT_TWICE, _NAME, calls=1, details=details)
