"""Planned against measured peak memory on a GPU: `python -m benchmarks.plan_gpu`.

Trains small versions of four architectures for three steps with AdamW under autocast, and prints for each the peak that
PyTorch's allocator counts beside the plan's total without CUDA context and fragmentation.
"""

from __future__ import annotations

import sys

from tests.planning.scripts import architectures
from trainlint.planning.memory import memory
from trainlint.planning.strategies import ONE
from trainlint.planning.training import Precision, Training
from trainlint_probe.planned.tracing import traced_model

_MODELS = (("resnet", "3x32x32"), ("vit", "3x32x32"), ("gpt", "tokens:24"), ("unet", "3x32x32"))
_BATCH = 2048


def main() -> int:
    """Print the table; 2 where there is no GPU."""
    import torch

    if not torch.cuda.is_available():
        sys.stderr.write("no GPU that PyTorch can use was found\n")
        return 2
    for name, shape in _MODELS:
        model = traced_model(f"tests.planning.scripts.architectures:{name}", [shape], Precision.AUTOCAST)
        held = memory(model, Training(batch=_BATCH), ONE)
        planned = held.total - held.context - held.fragmentation
        found = measured(name, shape)
        sys.stdout.write(f"{name:<8} planned {planned / 1e6:9.1f} MB  measured {found / 1e6:9.1f} MB")
        sys.stdout.write(f"  {100 * (planned / found - 1):+.1f}%\n")
    return 0


def measured(name: str, shape: str) -> int:
    """Bytes at the peak of the third step."""
    import torch

    model = getattr(architectures, name)().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    tokens, _, sizes = shape.rpartition(":")
    dimensions = [_BATCH, *map(int, sizes.split("x"))]
    batch = torch.randint(0, 8, dimensions, device="cuda") if tokens else torch.randn(dimensions, device="cuda")
    for step in range(3):
        if step == 2:
            torch.cuda.reset_peak_memory_stats()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(batch).float().pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    torch.cuda.synchronize()
    return int(torch.cuda.max_memory_allocated())


if __name__ == "__main__":
    sys.exit(main())
