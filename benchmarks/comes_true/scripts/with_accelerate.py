"""A training with Accelerate. Planted: a checkpoint in each step, and items that wait for a disk."""

import sys
import time

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, Dataset

planted = sys.argv[1]


class Rows(Dataset):
    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        if planted.startswith("disk"):
            time.sleep(0.001)
        return torch.full((32,), index % 3 / 3)


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 256), nn.ReLU(), nn.Linear(256, 1))
    loader = DataLoader(Rows(), batch_size=16, num_workers=2 if planted == "disk-fixed" else 0)
    accelerator = Accelerator(cpu=True)
    model, optimizer, loader = accelerator.prepare(model, torch.optim.AdamW(model.parameters()), loader)
    for rows in loader:
        loss = model(rows).square().mean()
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()
        if planted == "saves":
            torch.save(accelerator.unwrap_model(model).state_dict(), "model.pt")


if __name__ == "__main__":
    main()
