"""Sums and lists that outlive the step."""

import torch
import torch.nn.functional as F


def train(model, optimizer, train_loader, val_loader, device, accumulate):
    total, history, parts = 0.0, [], {"fit": 0.0, "size": 0.0}
    window = torch.zeros((), device=device)
    for step, (inputs, targets) in enumerate(train_loader):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        fit = F.mse_loss(model(inputs), targets)
        size = sum(weight.square().sum() for weight in model.parameters())
        loss = fit + 1e-4 * size
        (loss / accumulate).backward()
        total = total + loss  #! TRN304
        history.append(loss)  #! TRN304
        parts["fit"] += fit * inputs.size(0)  #! TRN304
        window += loss  #! TRN304
        if (step + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()
            window = torch.zeros((), device=device)
    print(float(total), torch.stack(history).mean().item(), parts)
    return validate(model, val_loader, device)


def validate(model, val_loader, device):
    model.eval()
    loss = 0.0
    for inputs, targets in val_loader:
        outputs = model(inputs.to(device, non_blocking=True))  #! TRN303
        loss += F.mse_loss(outputs, targets.to(device, non_blocking=True))  #! TRN304
    return loss.item() / len(val_loader)
