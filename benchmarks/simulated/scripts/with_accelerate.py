"""A loop of one's own under Accelerate, with gradients accumulated over two batches."""

import sys

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 1
STEPS, BATCH, WIDTH = 44, 8 * SIZE, 16 * SIZE
torch.manual_seed(0)

accelerator = Accelerator(gradient_accumulation_steps=2, cpu=not torch.cuda.is_available())
data = TensorDataset(torch.randn(2 * STEPS * BATCH, 5), torch.randn(2 * STEPS * BATCH, 1))
model = nn.Sequential(nn.Linear(5, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
model, optimizer, loader = accelerator.prepare(model, optimizer, DataLoader(data, batch_size=BATCH))
losses = []

for inputs, targets in loader:  # copy to device 4/step
    with accelerator.accumulate(model):
        loss = nn.functional.mse_loss(model(inputs), targets)
        accelerator.backward(loss)
        if accelerator.sync_gradients:
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    losses.append(accelerator.gather(loss.detach()))
    mean = losses[-1].mean().item()  # wait 2/step
