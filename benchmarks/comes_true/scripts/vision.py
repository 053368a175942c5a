"""A small convolutional network on made-up pictures. Planted: items that wait for a disk, or that are computed."""

import gc
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

planted = sys.argv[1]
# Without the defect, the same items come from workers.
of_items = {"disk": "disk", "disk-fixed": "disk", "computed": "computed", "computed-fixed": "computed"}.get(planted, "")
workers = 2 if planted.endswith("-fixed") else 0


class Pictures(Dataset):
    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        picture = torch.full((3, 24, 24), (index % 7) / 7)
        if of_items == "disk":
            time.sleep(0.001)
        elif of_items == "computed":
            picture = picture + sum(number % 7 for number in range(20_000)) * 0
        return picture, index % 10


def main():
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Conv2d(16, 16, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for pictures, labels in DataLoader(Pictures(), batch_size=16, num_workers=workers):
        loss = nn.functional.cross_entropy(model(pictures), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if planted == "collects":
            gc.collect()


if __name__ == "__main__":
    main()
