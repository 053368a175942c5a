"""Guards beside another wait for the device, and in functions that save."""

import torch


class Trainer:
    def __init__(self, model, device):
        self.model = model.to(device)
        self.device = device
        self.best = []

    def fit(self, optimizer, loader, criterion):
        for inputs, targets in loader:
            inputs = inputs.to(self.device, non_blocking=True)
            targets = targets.to(self.device, non_blocking=True)
            loss = criterion(self.model(inputs), targets)
            assert torch.isfinite(loss).all(), "diverged"  #! TRN203
            shown = loss.item()  #! TRN201
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            self.smallest(torch.stack([loss.detach()]))
            self.update_and_save(loss.detach(), shown)

    def smallest(self, values):
        if torch.isnan(values).all():  #! TRN203
            return values[0]
        return torch.min(values[~torch.isnan(values)])  #! TRN209

    def update_and_save(self, current, shown):
        if torch.isnan(current):  #! TRN203
            current = torch.zeros_like(current)
        self.best.append((current, shown))
        torch.save(self.model.state_dict(), "best.pt")
