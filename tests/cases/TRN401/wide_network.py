"""A network for CIFAR with layers of 512 channels."""

import torch
from torch import nn
from torchvision import datasets, transforms

device = torch.device("cuda")


class Block(nn.Module):
    def __init__(self, width_in, width_out):
        super().__init__()
        self.layer = nn.Conv2d(width_in, width_out, kernel_size=3, padding=1)

    def forward(self, x):
        return self.layer(x).relu()


class Net(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.blocks = nn.Sequential(Block(3, 16), Block(16, 256), Block(256, 512))
        self.last = nn.Linear(512, classes)

    def forward(self, x):
        return self.last(self.blocks(x).mean((2, 3)))


def main():
    samples = datasets.CIFAR10("data", transform=transforms.ToTensor())
    loader = torch.utils.data.DataLoader(samples, 100, num_workers=4, pin_memory=True, persistent_workers=True)
    model = Net().to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(80):
        for images, labels in loader:
            images, labels = images.to(device, non_blocking=True), labels.to(device, non_blocking=True)
            loss = criterion(model(images), labels)  #! TRN401
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
