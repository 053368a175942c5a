"""Accelerate is configured by a file of its own, which may ask for bf16."""

import torch
from accelerate import Accelerator
from torchvision.models import resnet50

from pictures import train_loader

accelerator = Accelerator()
model = resnet50(num_classes=10)
optimizer = torch.optim.AdamW(model.parameters())
model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
for images, labels in train_loader:
    loss = torch.nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    accelerator.backward(loss)
    optimizer.step()
