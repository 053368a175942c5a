"""A program that computes on the host alone: nothing waits for the loader but the training itself."""

import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

samples = datasets.MNIST("data", transform=transforms.ToTensor())
loader = DataLoader(samples, batch_size=100, shuffle=True)
model = nn.Linear(784, 10)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
for epoch in range(5):
    for images, labels in loader:
        loss = criterion(model(images.reshape(-1, 784)), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
