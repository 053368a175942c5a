"""The network is trained by `DataParallel`: no TRN408."""

import torch
from torchvision.models import resnet50

from data import train_loader

model = torch.nn.DataParallel(resnet50().cuda())  #! TRN507
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for images, labels in train_loader:
    images = images.cuda(non_blocking=True)
    labels = labels.cuda(non_blocking=True)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
