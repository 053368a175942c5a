"""Arrays of doubles that go to the device in each step."""

import numpy as np
import torch


def train(model, criterion, optimizer, train_loader, device="cuda"):
    for inputs, targets in train_loader:
        ramp = np.linspace(0.0, 1.0, len(targets))
        weights = torch.from_numpy(ramp).to(device, non_blocking=True)  #! TRN207 TRN411
        mask = torch.as_tensor(np.ones(len(targets)), device=device)  #! TRN207 TRN411
        loss = (criterion(model(inputs), targets) * weights * mask).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
