"""A head on top of a frozen convolutional network, whose features are computed in equal pieces."""

import torch
from torch import nn

PIECES = 20
torch.manual_seed(0)
features = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Conv2d(16, 16, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten())
head = nn.Linear(16, 10)
optimizer = torch.optim.SGD(head.parameters(), lr=0.01)
pictures, labels = torch.randn(8, 3, 20, 20), torch.randint(0, 10, (8,))
for _ in range(100_000):
    for _ in range(PIECES):
        with torch.no_grad():
            found = features(pictures)
    loss = nn.functional.cross_entropy(head(found), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
