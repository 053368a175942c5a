"""Takes some steps, and then runs out of memory as PyTorch says it, or ends. Arguments: steps, "memory" or "end"."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from toy import model_and_optimizer, step

model, optimizer = model_and_optimizer()
for _ in range(int(sys.argv[1])):
    step(model, optimizer)
if sys.argv[2] == "memory":
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
