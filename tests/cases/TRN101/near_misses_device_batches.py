"""Collate functions that use the device: forked worker processes could not."""

import torch
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, number):
        return read_image(self.paths[number])


def onto(device):
    def collate(images):
        return torch.stack(images).to(device)

    return collate


def train(model, criterion, optimizer, paths, device):
    loader = DataLoader(Images(paths), batch_size=32, shuffle=True, collate_fn=onto(device))
    for images in loader:
        loss = criterion(model(images))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
