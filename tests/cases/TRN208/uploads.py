"""Numbers that are uploaded in each step."""

import torch


def train(model, optimizer, loader, device, weight: float):
    model = model.to(device)
    for _, (inputs, targets) in enumerate(loader):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        outputs = model(inputs)
        least = torch.tensor([1], device=device, dtype=torch.float32)  #! TRN207
        count = torch.max((targets > 0).sum(), least)
        scale = torch.as_tensor(weight / 2, device=device)  #! TRN208
        size = torch.tensor(len(inputs), device="cuda")  #! TRN208
        loss = (outputs - targets).abs().sum() / count * scale / size
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
