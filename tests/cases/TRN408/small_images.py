"""The images of MNIST are too small to gain: no TRN408."""

import torch
from torchvision.models import resnet50

from data.mnist import train_loader

model = resnet50().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for images, labels in train_loader:
    images = images.cuda(non_blocking=True)
    labels = labels.cuda(non_blocking=True)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
