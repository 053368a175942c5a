"""An autoencoder of a table in memory. Planted: items that take less to make than to hand over, and collections."""

import gc
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

planted = sys.argv[1]


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 8), nn.ReLU(), nn.Linear(8, 32))
    optimizer = torch.optim.AdamW(model.parameters())
    workers = 2 if planted == "in-memory-fixed" else 0
    for _ in range(1000):
        for (rows,) in DataLoader(TensorDataset(torch.randn(200_000, 32)), batch_size=64, num_workers=workers):
            loss = nn.functional.mse_loss(model(rows), rows)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if planted == "collects":
                gc.collect()


if __name__ == "__main__":
    main()
