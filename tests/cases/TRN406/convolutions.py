"""Convolutions may use TF32 without being asked."""

import torch
from torchvision.models import resnet50

from pictures import train_loader

model = resnet50().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for images, labels in train_loader:
    images, labels = images.cuda(non_blocking=True), labels.cuda(non_blocking=True)
    loss = torch.nn.functional.cross_entropy(model(images), labels)  #! TRN401
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
