"""The loop goes over the loader behind a progress bar, as it does over the loader itself."""

import torch
from alive_progress import alive_it
from PIL import Image
from rich.progress import track
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms.functional import to_tensor


class Photographs(Dataset):
    def __init__(self, paths, labels):
        self.paths, self.labels = paths, labels

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return to_tensor(Image.open(self.paths[index])), self.labels[index]


def with_alive_progress(model, criterion, optimizer, paths, labels):
    loader = DataLoader(Photographs(paths, labels), batch_size=64, shuffle=True, pin_memory=True)  #! TRN101
    for x, y in alive_it(loader):
        loss = criterion(model(x.to("cuda", non_blocking=True)), y.to("cuda", non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def with_rich(model, criterion, optimizer, paths, labels):
    loader = DataLoader(Photographs(paths, labels), batch_size=64, shuffle=True, pin_memory=True)  #! TRN101
    for x, y in track(loader):
        loss = criterion(model(x.to("cuda", non_blocking=True)), y.to("cuda", non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.LazyLinear(10)).cuda()
    sgd = torch.optim.SGD(network.parameters(), lr=0.1)
    with_alive_progress(network, torch.nn.CrossEntropyLoss(), sgd, ["a.jpg"], [0])
    with_rich(network, torch.nn.CrossEntropyLoss(), sgd, ["a.jpg"], [0])
