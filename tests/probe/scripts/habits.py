"""Habits that cost time on the processor itself. How much of a step that is depends on what else a step does: the first
argument says for how many milliseconds it sleeps; where it does, there is little to do besides.
"""

import copy
import gc
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

pause = float(sys.argv[1]) / 1000
model = nn.Sequential(*(nn.Linear(16, 16) for _ in range(2 if pause else 60)))
optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
loader = DataLoader(TensorDataset(torch.randn(400, 16), torch.randn(400, 16)), batch_size=4)
gc.freeze()  # a collection would take most of a step, for what the imports left
walked = [] if pause else [[number] for number in range(200_000)]
for _ in range(10):
    for inputs, targets in loader:
        loss = nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        for parameter in model.parameters():
            nn.utils.clip_grad_norm_(parameter, 1.0)
        optimizer.step()
        before = copy.deepcopy(model)
        gc.collect()
        time.sleep(pause)
