"""Training is in float32: no TRN408."""

import torch
from torchvision.models import resnet50

from data import train_loader

model = resnet50().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for images, labels in train_loader:
    images = images.cuda(non_blocking=True)
    labels = labels.cuda(non_blocking=True)
    loss = torch.nn.functional.cross_entropy(model(images), labels)  #! TRN401
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
