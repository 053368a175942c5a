"""Numbers that the device draws, that workers draw, or that the host needs."""

import numpy as np
import torch
from torch.utils.data import Dataset


class Noise(Dataset):
    def __len__(self):
        return 100

    def __getitem__(self, index):
        return torch.from_numpy(np.random.normal(size=(3, 8)))


def train(generator, optimizer, loader, history, device):
    fixed = torch.from_numpy(np.random.normal(size=(8, 100))).float().to(device)
    generator = generator.to(device)
    for step, images in enumerate(loader):
        images = images.to(device, non_blocking=True)
        noise = torch.randn(len(images), 100, device=device)
        if step % 500 == 0:
            history.append(torch.from_numpy(np.random.rand(4)).to(device))
        loss = (generator(noise, fixed) - images).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
