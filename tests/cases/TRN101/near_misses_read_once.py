"""One pass over a test set, after training."""

import torch
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


def main(model, optimizer, criterion, device):
    transform = transforms.ToTensor()
    train_set = datasets.ImageFolder("train", transform=transform)
    test_set = datasets.ImageFolder("test", transform=transform)
    train_loader = DataLoader(train_set, batch_size=64, shuffle=True)  #! TRN101 TRN102
    test_loader = DataLoader(test_set, batch_size=64)
    for _ in range(90):
        model.train()
        for images, targets in train_loader:
            images, targets = images.to(device), targets.to(device)  #! TRN205
            loss = criterion(model(images), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    model.eval()
    correct = 0
    with torch.no_grad():
        for images, targets in test_loader:
            images, targets = images.to(device), targets.to(device)
            correct += (model(images).argmax(1) == targets).sum()
    return correct.item()
