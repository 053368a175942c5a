"""One finding for two switches in a row, at the first."""

import random

import numpy as np
import torch


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)  #! TRN407
    torch.backends.cudnn.deterministic = True


def train(model, criterion, optimizer, train_loader):
    set_seed(0)
    for images, labels in train_loader:
        loss = criterion(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
