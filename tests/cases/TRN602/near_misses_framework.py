"""A framework is in charge of the loop."""

import torch
from accelerate import Accelerator

from project import criterion, model, train_loader

accelerator = Accelerator()
optimizer = torch.optim.AdamW(model.cuda().parameters(), lr=1e-4)
for inputs, targets in accelerator.prepare(train_loader):
    loss = criterion(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
