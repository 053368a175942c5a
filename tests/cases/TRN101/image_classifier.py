"""A folder of photographs, decoded and augmented for each batch."""

import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset
from torchvision import datasets, transforms


class Photographs(Dataset):
    def __init__(self, paths, labels, transform):
        self.paths, self.labels, self.transform = paths, labels, transform

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        image = Image.open(self.paths[index]).convert("RGB")
        return self.transform(image), self.labels[index]


def make_loaders(paths, labels, augment, batch_size):
    photographs = Photographs(paths, labels, augment)
    split = len(photographs) // 10
    train_loader = DataLoader(  #! TRN101
        Subset(photographs, range(split, len(photographs))),
        batch_size=batch_size,
        shuffle=True,
        pin_memory=True,
    )
    options = {"batch_size": batch_size, "pin_memory": True}
    val_loader = DataLoader(Subset(photographs, range(split)), **options)
    return train_loader, val_loader


def main(paths, labels, epochs):
    model = nn.Sequential(nn.Flatten(), nn.LazyLinear(10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_loader, _ = make_loaders(paths, labels, transforms.ToTensor(), 64)
    for _ in range(epochs):
        for images, targets in train_loader:
            images = images.cuda(non_blocking=True)
            targets = targets.cuda(non_blocking=True)
            loss = nn.functional.cross_entropy(model(images), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def pretrain(model, criterion, optimizer):
    digits = datasets.MNIST("data", transform=transforms.ToTensor())
    for images, targets in DataLoader(digits, 256, True, pin_memory=True):  #! TRN101
        optimizer.zero_grad()
        criterion(model(images.cuda(non_blocking=True)), targets.cuda(non_blocking=True)).backward()
        optimizer.step()
