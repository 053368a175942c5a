"""Numbers of an array of NumPy are indices like any other: no TRN207. An array is copied to the device."""

import numpy as np
import torch
import torch.nn.functional as F


def train(model, optimizer, train_loader, device, count):
    order = np.random.permutation(len(train_loader))
    for values, targets in train_loader:
        values = values.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        waves = torch.zeros(8, 4, device=device)
        for k in np.arange(4):
            waves[:, k] = values[k + 1, k]
        first = values[order[0]]
        middle = values[np.random.randint(0, count)]
        best = values[np.mean(targets.shape).argmax()]
        shuffled = values[order]  #! TRN207
        loss = F.cross_entropy(model(shuffled) + first + middle + best + waves.sum(), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
