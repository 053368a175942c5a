"""Noise that NumPy draws for the device."""

import numpy as np
import torch
from torch.autograd import Variable

cuda = torch.cuda.is_available()
Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor


def train(generator, optimizer, loader, device):
    generator = generator.to(device)
    for images in loader:
        images = images.to(device, non_blocking=True)
        first = Variable(Tensor(np.random.normal(0, 1, (images.shape[0], 100))))  #! TRN207
        second = torch.tensor(np.random.rand(len(images), 100), device=device)  #! TRN207
        drawn = np.random.randint(0, 10, len(images))
        labels = torch.from_numpy(drawn).long().to(device)  #! TRN207
        loss = (generator(first, second, labels) - images).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
