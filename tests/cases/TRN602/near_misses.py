"""A script whose optimizers are chosen, or not PyTorch's."""

import torch

from project import Lion, criterion, model, options, train_loader

model = model.cuda()
chosen = torch.optim.AdamW(model.head.parameters(), lr=1e-4, fused=torch.cuda.is_available())
other = Lion(model.body.parameters(), lr=1e-4)
unfused = torch.optim.Adadelta(model.neck.parameters())
unknown = torch.optim.Adam(model.tail.parameters(), **options)

for inputs, targets in train_loader:
    loss = criterion(model(inputs.cuda(non_blocking=True)), targets.cuda(non_blocking=True))
    for optimizer in (chosen, other, unfused, unknown):
        optimizer.zero_grad()
    loss.backward()
    chosen.step()
    other.step()
    unfused.step()
    unknown.step()
