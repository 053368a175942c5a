"""Code that stands inside the parentheses of `Variable(...)`, and would not stand without them."""

import torch
from torch.autograd import Variable


def train(model, criterion, optimizer, loader):
    for images, labels in loader:
        optimizer.zero_grad()
        scaled = Variable(  #! TRN810
            images  # as the camera gives them
            / 255
        )
        output = model(Variable(flipped := scaled.flip(0)))
        shift = Variable(start := torch.zeros(8))
        loss = criterion(output + flipped + start + shift, labels)
        loss.backward()
        optimizer.step()
