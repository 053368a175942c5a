"""The fused kernel does not take sparse gradients: no TRN602."""

import torch

from project import criterion, model, train_loader

model = model.cuda()
model.embedding = torch.nn.Embedding(1000, 64, sparse=True).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for inputs, targets in train_loader:
    inputs, targets = inputs.cuda(non_blocking=True), targets.cuda(non_blocking=True)
    loss = criterion(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
