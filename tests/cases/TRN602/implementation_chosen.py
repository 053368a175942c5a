"""An implementation is chosen: no TRN602."""

import torch

from project import criterion, model, train_loader

model = model.cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=True)
for inputs, targets in train_loader:
    inputs, targets = inputs.cuda(non_blocking=True), targets.cuda(non_blocking=True)
    loss = criterion(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
