"""Accelerate, with two micro-batches to a step, and a state that is saved and loaded back."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(gradient_accumulation_steps=2, cpu=True)
model = nn.Linear(4, 1)
optimizer = torch.optim.AdamW(model.parameters())
loader = DataLoader(TensorDataset(torch.randn(400, 4)), batch_size=4)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
accelerator.save_state("state")
accelerator.load_state("state")
for _ in range(20):
    for (inputs,) in loader:
        with accelerator.accumulate(model):
            loss = model(inputs).square().mean()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
