"""Loaders that Accelerate takes over: it builds new ones with the same `pin_memory`, and moves their batches."""

from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def with_accelerate(model, optimizer, dataset):
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=8, shuffle=True, num_workers=4)  #! TRN102
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for inputs, targets in loader:
        loss = nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()
