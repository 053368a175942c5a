"""A training that waits for its data: each item takes a few milliseconds to make."""

import time

import torch
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    def __len__(self):
        return 400

    def __getitem__(self, index):
        time.sleep(0.005)
        generator = torch.Generator().manual_seed(index)
        return torch.randn(8, generator=generator), torch.tensor([float(index % 3)])


def main():
    torch.cuda.manual_seed_all(0), torch.manual_seed(0)
    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(Slow(), batch_size=4, shuffle=True)
    for inputs, targets in loader:
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
