"""A framework is in charge of the loop, and steps the schedule as often as it should."""

import torch
from accelerate import Accelerator

from project import criterion, model, train_loader

accelerator = Accelerator()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=len(train_loader))
for step, (inputs, targets) in enumerate(train_loader):
    loss = criterion(model(inputs), targets) / 4
    loss.backward()
    if (step + 1) % 4 == 0:
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
