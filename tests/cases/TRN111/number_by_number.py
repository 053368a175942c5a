"""Lists of arrays that become tensors in workers and in steps."""

import cv2
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        frames = []
        for path in self.paths[index]:
            frame = cv2.imread(path).transpose(2, 0, 1)
            frames.append(frame)
        return torch.tensor(frames)  #! TRN111


def collate(rows):
    inputs = torch.tensor([np.asarray(row[0]) for row in rows], dtype=torch.float32)  #! TRN111
    return inputs, torch.FloatTensor([np.load(row[1]) for row in rows])  #! TRN111


def train(model, optimizer, loader):
    for rows in loader:
        first, second = np.load(rows[0]), np.zeros((3, 4))
        third = np.stack([np.ones(4)] * 3)
        loss = model(torch.as_tensor([third, np.concatenate([third])]))  #! TRN111
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def loaders(paths, rows):
    yield DataLoader(Clips(paths), 8, num_workers=2, pin_memory=True)
    yield DataLoader(rows, 8, num_workers=2, pin_memory=True, collate_fn=collate)
