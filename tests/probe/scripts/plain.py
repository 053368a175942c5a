"""A plain loop: a slow dataset, one read of the loss, an evaluation that records gradients."""

import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __len__(self):
        return 400

    def __getitem__(self, index):
        time.sleep(0.0005)
        return torch.full((8,), float(index)), index % 2


def main():
    torch.manual_seed(0)
    loader = DataLoader(Slow(), batch_size=8, num_workers=0)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.AdamW(model.parameters())
    criterion = nn.CrossEntropyLoss()
    device = torch.device("cpu")
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 3):
        model.train()
        for inputs, labels in loader:
            inputs = inputs.to(device)
            loss = criterion(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total = loss.item()
        model.eval()
        for inputs, _ in loader:
            model(inputs)
        torch.save(model.state_dict(), "checkpoint.pt")
    print("done", total)


if __name__ == "__main__":
    main()
