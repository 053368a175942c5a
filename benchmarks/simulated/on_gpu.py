"""`python -m benchmarks.simulated.on_gpu SCRIPT OUTPUT`: one script on a real GPU, its figures as JSON.

Twenty steps run under `torch.cuda.set_sync_debug_mode`, then twenty under Kineto.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import torch

from benchmarks.simulated.comparison import Measured, traced
from benchmarks.simulated.counting import Enough, run_script, steps_told

WARMUP, STEPS = 3, 20


def measured(script: Path) -> Measured:
    """Run it. Raises ValueError where it takes too few steps."""
    waits: Counter[int] = Counter()
    profiler = torch.profiler.profile(schedule=lambda _: torch.profiler.ProfilerAction.RECORD)
    done = 0

    def warned(message: Any, *_: Any, **__: Any) -> None:
        frame = sys._getframe(1) if "synchronizing CUDA operation" in str(message) else None  # noqa: SLF001 - the line
        while frame is not None and frame.f_code.co_filename != str(script):
            frame = frame.f_back
        if frame is not None:
            waits[frame.f_lineno] += 1

    def after() -> None:
        nonlocal done
        done += 1
        if done == WARMUP:
            torch.cuda.set_sync_debug_mode("warn")
        elif done == WARMUP + STEPS:
            torch.cuda.set_sync_debug_mode("default")
            profiler.start()
        elif done == WARMUP + 2 * STEPS:
            torch.cuda.synchronize()
            profiler.stop()
            raise Enough
        elif done > WARMUP + STEPS:
            profiler.step()

    with warnings.catch_warnings(), steps_told(after):
        warnings.simplefilter("always")
        warnings.showwarning = warned
        run_script(script)
    if done < WARMUP + 2 * STEPS:
        raise ValueError(f"{script.name} took {done} steps, not {WARMUP + 2 * STEPS}")
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "trace.json"
        profiler.export_chrome_trace(str(path))
        events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    return Measured(
        {line: count / STEPS for line, count in waits.items()}, torch.cuda.max_memory_allocated(), traced(events)
    )


if __name__ == "__main__":
    found = measured(Path(sys.argv[1]).resolve())
    fields = {"waits": found.waits, "peak": found.peak, "traced": found.traced._asdict()}
    Path(sys.argv[2]).write_text(json.dumps(fields, indent=1), encoding="utf-8")
