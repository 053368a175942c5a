"""Runs as the probe might have seen them, for tests of what is made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.probe.traces.builder import ALL_REDUCE, PLAIN_PRODUCT, TraceBuilder
from trainlint.evidence.interval import Interval
from trainlint.evidence.places import Line
from trainlint.evidence.run import Environment, Loader, Memory, Optimizer, Phase, Run, Seen, Step
from trainlint.evidence.verdicts import State, Verdict
from trainlint.report.settings import Style
from trainlint.symptoms import Symptom
from trainlint_probe.judgement.verdicts import NEEDS_A_GPU
from trainlint_probe.report import terminal, terminal_trace
from trainlint_probe.result import Result
from trainlint_probe.traces.reading import TraceReading

ENVIRONMENT = Environment(
    {
        "Python": "3.12.4",
        "torch": "2.7.1+cu126",
        "CUDA": "12.6",
        "GPU": "NVIDIA A100-SXM4-40GB",
        "CPU threads": "16",
        "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True",
        "git commit": "3f2a9c1",
    },
    ("8 of 16 cores are free for this process: set OMP_NUM_THREADS=8.",),
)


def step(number: int, *, slow: float = 1.0, wait: float = 28.9) -> Step:
    """A step that waits for its data most of the time, a little longer each seventh time, and keeps some memory."""
    wait = wait * slow * (1.5 if number % 7 == 3 else 1.0)
    phases: Mapping[Phase, float] = {
        Phase.DATA_WAIT: wait,
        Phase.HOST_TO_DEVICE: 1.1,
        Phase.FORWARD: 6.4 * slow,
        Phase.BACKWARD: 9.7 + 0.3 * (number % 3),
        Phase.OPTIMIZER: 4.5,
        Phase.EVALUATION: 14.0 if number % 10 == 9 else 0.0,
        Phase.OTHER: 0.4,
    }
    held = 2_400_000_000 + 9_000_000 * number
    memory = Memory(held, reserved=3_900_000_000, peak=held + 900_000_000, retries=0)
    return Step(sum(phases.values()), phases, memory=memory)


def run(*, steps: int = 30, rank: int = 0, world_size: int = 1, slow: float = 1.0, wait: float = 28.9) -> Run:
    """A training on one GPU."""
    measured = tuple(step(number, slow=slow, wait=wait) for number in range(steps))
    loader = Loader(
        Line("train.py", 31),
        Line("train.py", 52),
        {"batch_size": "64", "num_workers": "0", "pin_memory": "False"},
        steps,
        sum(item.phases[Phase.DATA_WAIT] for item in measured),
    )
    return Run(
        ("python", "train.py", "--epochs", "3", "--name", "first try"),
        ENVIRONMENT,
        "window closed",
        warmup=10,
        steps=measured,
        clock="AdamW.step at train.py:77",
        seen=(
            Seen(Line("train.py", 52), Symptom.DATA_WAIT, "DataLoader.__next__", steps, loader.wait_ms),
            Seen(Line("train.py", 78), Symptom.HOST_SYNC, "Tensor.item", 2 * steps, 183.0, device="cuda"),
            Seen(Line("train.py", 77), Symptom.HOST_SYNC, "Tensor.item", 14 * steps, 0.9, direct=False, device="cpu"),
        ),
        loaders=(loader,),
        optimizers=(Optimizer("AdamW", Line("train.py", 77), steps, "foreach", 148),),
        rank=rank,
        world_size=world_size,
        device="cuda",
        redirected=("out/last.pt",),
        notes=("the step was still getting faster when the window opened",),
    )


def ranks(count: int = 4) -> list[Run]:
    """Ranks of one training, of which the last is slow and the others wait for it in backward."""
    return [run(rank=rank, world_size=count, wait=9.0, slow=1.6 if rank == count - 1 else 1.0) for rank in range(count)]


LOADING = Verdict(
    "TRN101",
    "loader-without-workers",
    Line("train.py", 31),
    State.CONFIRMED,
    "the step waits 26.10 to 36.20 ms for this loader (num_workers=0), which is the most that it could gain: "
    "49.1% to 68.2% of a step of 53.1 ms",
    cost=Interval(26.1, 36.2),
    share=Interval(0.491, 0.682),
    per_step=1.0,
    basis="timer",
    message="This loader prepares each batch while the device waits.",
)
READING = Verdict(
    "TRN201",
    "item-in-training-step",
    Line("train.py", 78),
    State.INCONCLUSIVE,
    "Tensor.item ran 2 times a step and took the host 6.10 ms of each step: 0.0% to 11.5% of a step of 53.1 ms",
    cost=Interval(0.0, 6.1),
    share=Interval(0.0, 0.115),
    per_step=2.0,
    basis="timer",
    message="The host waits for the device at each step.",
)
EVALUATION = Verdict(
    "TRN303",
    "evaluation-with-gradients",
    Line("src/evaluate.py", 14),
    State.REFUTED,
    "Module.forward ran 0.1 times a step and took the host 0.23 ms of each step: 0.0% to 0.4% of a step of 53.1 ms",
    cost=Interval(0.0, 0.23),
    share=Interval(0.0, 0.0043),
    per_step=0.1,
    basis="timer",
    message="This evaluation records gradients.",
)
SAVING = Verdict(
    "TRN310",
    "checkpoint-in-training-step",
    Line("train.py", 95),
    State.NOT_OBSERVED,
    "no checkpoint was seen at this line in 30 steps",
    message="The training waits while a checkpoint is written.",
)
COPYING = Verdict(
    "TRN205",
    "blocking-batch-copy",
    Line("train.py", 55),
    State.UNMEASURED,
    NEEDS_A_GPU,
    message="The host waits for this copy.",
)
VERDICTS = [SAVING, EVALUATION, READING, LOADING, COPYING]


def hostile(verdict: Verdict = LOADING) -> Verdict:
    """A verdict on a file whose name is a script."""
    return replace(verdict, at=Line("<script>alert(1)</script>.py", 7), message='"><img src=x onerror=alert(1)>')


def trace(path: Path, *, rank: int | None = None, gap: float = 0.1) -> Path:
    """Five steps of 20 ms on a GPU, each with a copy from pageable memory and a read at train.py:78.

    Between two of its kernels, the GPU is idle for `gap`.
    """
    built = TraceBuilder(rank=rank, world_size=2).on("NVIDIA A100-SXM4-40GB")
    built.steps(20, 5)
    for start in range(0, 100, 20):
        built.annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", start, start + 6)
        built.copy("HtoD (Pageable -> Device)", (start + 6, start + 7), (start + 6.2, start + 7), size=4_000_000)
        built.kernel(start + 7.5, start + 10, PLAIN_PRODUCT)
        built.operator("autograd::engine::evaluate_function: AddmmBackward0", start + 9, start + 13)
        built.kernel(start + 10 + gap, start + 14)
        built.kernel(start + 12, start + 15, ALL_REDUCE, stream=9)
        built.annotation("Optimizer.step#SGD.step", start + 13.5, start + 15)
        built.kernel(start + 15, start + 16)
        built.annotation("TL|item|train.py:78", start + 15.2, start + 17)
        built.operator("aten::item", start + 15.3, start + 16.9)
        built.copy("DtoH (Device -> Pageable)", (start + 15.5, start + 16.5), (start + 16.2, start + 16.3), size=4)
        built.call("StreamSynchronize", start + 16.5, start + 16.6)
    return built.write(path)


def trace_of_host(path: Path) -> Path:
    """Five steps of 20 ms without an accelerator."""
    built = TraceBuilder()
    built.steps(20, 5)
    for start in range(0, 100, 20):
        built.operator("autograd::engine::evaluate_function: AddmmBackward0", start + 9, start + 13)
    return built.write(path)


def render(
    runs: Sequence[Run], verdicts: Sequence[Verdict], style: Style, *, verbose: bool = False, **more: Any
) -> str:
    return terminal.render(Result(tuple(runs), tuple(verdicts), **more), style, verbose=verbose)


def render_trace(reading: TraceReading, verdicts: Sequence[Verdict], style: Style, **more: Any) -> str:
    return terminal_trace.render_trace(Result((), tuple(verdicts), reading, **more), style)
