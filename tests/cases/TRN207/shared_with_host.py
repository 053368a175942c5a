"""Numbers that the host needs as well."""

import numpy as np
import torch


def train(model, optimizer, loader, weights, device):
    model = model.to(device)
    for images in loader:
        images = images.to(device, non_blocking=True)
        chosen = np.random.choice(len(weights), size=len(images), p=weights)
        scale = weights[chosen]
        indices = torch.from_numpy(chosen).long().to(device, non_blocking=True)  #! TRN207
        loss = model(images, indices).mean() * scale.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
