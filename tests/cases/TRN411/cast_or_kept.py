"""A data type somewhere on the way, tensors that stay on the host, and arrays of unknown or whole numbers."""

import numpy as np
import torch


def train(model, criterion, optimizer, train_loader, table, device="cuda"):
    for inputs, targets in train_loader:
        n = len(targets)
        a = torch.from_numpy(np.linspace(0.0, 1.0, n).astype(np.float32)).to(device, non_blocking=True)  #! TRN207
        b = torch.from_numpy(np.linspace(0.0, 1.0, n)).float().to(device, non_blocking=True)  #! TRN207
        c = torch.from_numpy(np.linspace(0.0, 1.0, n)).to(device, torch.float32)  #! TRN207
        d = torch.tensor(np.linspace(0.0, 1.0, n), dtype=torch.float32, device=device)  #! TRN207
        e = torch.from_numpy(np.zeros(n, np.int64)).to(device, non_blocking=True)  #! TRN207
        f = torch.from_numpy(table[:n]).to(device, non_blocking=True)  #! TRN207
        g = torch.from_numpy(np.linspace(0.0, 1.0, n)).mean()
        loss = criterion(model(inputs), targets + a + b + c + d + e + f) * g
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
