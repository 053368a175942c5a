"""Traces written by hand, in the format of `torch.profiler`. Times are in milliseconds."""

import json
from pathlib import Path
from typing import Any

from trainlint_probe.traces.reading import TraceReading

ELEMENTWISE = "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >"
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
TENSOR_CORE_PRODUCT = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn"
PLAIN_PRODUCT = "ampere_sgemm_128x64_nn"
DAY = 1_700_000_000_000_000
"""When these traces begin, in microseconds."""


class TraceBuilder:
    """Collects events, and writes them as one trace.

    A call and its work on the device share a number, as in real traces. `maker` is "cuda" or "hip".
    """

    def __init__(self, *, maker: str = "cuda", rank: int | None = None, world_size: int = 1) -> None:
        self.maker = maker
        self.events: list[dict[str, Any]] = []
        self.about: dict[str, Any] = {"schemaVersion": 1, "deviceProperties": []}
        if rank is not None:
            self.about["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": world_size}
        self._number = 0

    def on(self, name: str, *, capability: tuple[int, int] = (8, 0)) -> "TraceBuilder":
        major, minor = capability
        properties = {"id": 0, "name": name, "computeMajor": major, "computeMinor": minor}
        self.about["deviceProperties"].append(properties)
        return self

    def event(self, category: str, name: str, start: float, end: float, thread: object = 1, **arguments: Any) -> None:
        ts, duration = DAY + round(start * 1000), round((end - start) * 1000)
        event = {"ph": "X", "cat": category, "name": name, "pid": 10, "tid": thread, "ts": ts, "dur": duration}
        self.events.append({**event, "args": arguments})

    def step(self, number: int, start: float, end: float) -> None:
        self.event("user_annotation", f"ProfilerStep#{number}", start, end)

    def steps(self, ms: float, count: int) -> None:
        for number in range(count):
            self.step(number, number * ms, (number + 1) * ms)

    def annotation(self, name: str, start: float, end: float, thread: object = 1) -> None:
        self.event("user_annotation", name, start, end, thread)

    def operator(self, name: str, start: float, end: float, thread: object = 1) -> None:
        self.event("cpu_op", name, start, end, thread)

    def link(self, forward: float, backward: float, *, forward_thread: object = 1, backward_thread: object = 1) -> None:
        """A node of backward, by when it starts, belongs to the operator of forward that starts then."""
        self._number += 1
        for end, at, thread in (("s", forward, forward_thread), ("f", backward, backward_thread)):
            ts = DAY + round(at * 1000)
            self.events.append(
                {"ph": end, "cat": "fwdbwd", "name": "fwdbwd", "id": self._number, "pid": 10, "tid": thread, "ts": ts}
            )

    def frame(self, name: str, start: float, end: float) -> None:
        self.event("python_function", name, start, end)

    def call(self, name: str, start: float, end: float, thread: object = 1) -> int:
        """A call of the runtime; `name` without the maker's prefix."""
        self._number += 1
        self.event("cuda_runtime", self.maker + name, start, end, thread, correlation=self._number)
        return self._number

    def kernel(
        self,
        start: float,
        end: float,
        name: str = ELEMENTWISE,
        *,
        launched: float | None = None,
        stream: int = 7,
        device: int = 0,
        thread: object = 1,
    ) -> None:
        """A kernel, launched by a call of 5 µs, which ends when the kernel starts unless `launched` says otherwise."""
        at = start - 0.005 if launched is None else launched
        number = self.call("LaunchKernel", at, at + 0.005, thread)
        self.event("kernel", name, start, end, stream, correlation=number, device=device, stream=stream)

    def copy(
        self,
        what: str,
        call: tuple[float, float],
        work: tuple[float, float],
        *,
        by: str = "MemcpyAsync",
        size: int | None = None,
    ) -> None:
        """A copy; `what` as in "HtoD (Pageable -> Device)"."""
        arguments = {} if size is None else {"bytes": size}
        number = self.call(by, *call)
        self.event("gpu_memcpy", f"Memcpy {what}", *work, 7, correlation=number, device=0, stream=7, **arguments)

    def write(self, path: Path) -> Path:
        path.write_text(json.dumps({**self.about, "traceEvents": self.events}), encoding="utf-8")
        return path


def idle_share(reading: TraceReading) -> float | None:
    """How much of a step the device has nothing to do, 0 to 1; None without a device."""
    return reading.device.idle / reading.step_ms if reading.device else None
