"""Two processes train one model in shared memory, without any exchange; the one that started them evaluates at last."""

import torch
from torch import multiprocessing, nn
from torch.utils.data import DataLoader, TensorDataset


def train(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(200):
        optimizer.zero_grad()
        model(torch.randn(4, 8)).square().mean().backward()
        optimizer.step()


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    model = nn.Linear(8, 2)
    model.share_memory()
    processes = [context.Process(target=train, args=(model,)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    model.eval()
    with torch.no_grad():
        for (inputs,) in DataLoader(TensorDataset(torch.randn(40, 8)), batch_size=4):
            model(inputs)
