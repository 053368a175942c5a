"""Training in float64: no TRN401."""

import torch
from torch import nn


def train(model, criterion, optimizer, train_loader):
    for images, labels in train_loader:
        images = images.cuda(non_blocking=True)
        labels = labels.cuda(non_blocking=True)
        loss = criterion(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(train_loader, epochs):
    model = nn.Sequential(nn.Conv2d(3, 256, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(1000)).double().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(epochs):
        train(model, nn.CrossEntropyLoss(), optimizer, train_loader)


if __name__ == "__main__":
    from data import train_loader

    main(train_loader, 90)
