"""Inductor is set up for what is compiled out of sight."""

import torch
from torch import nn

torch._inductor.config.conv_1x1_as_mm = True


def train(model, criterion, optimizer, loader):
    for images, labels in loader:
        images = images.cuda(non_blocking=True)
        labels = labels.cuda(non_blocking=True)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = criterion(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(loader, epochs):
    model = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Flatten(), nn.LazyLinear(10)).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(epochs):
        train(model, nn.CrossEntropyLoss(), optimizer, loader)


if __name__ == "__main__":
    from data import loader

    main(loader, 90)
