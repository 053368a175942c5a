"""Full collections in each step."""

import gc
from gc import collect

import torch


def step(model, optimizer, batch):
    loss = model(batch.cuda(non_blocking=True)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    collect()  #! TRN302


def train(model, optimizer, loader):
    model = model.cuda()
    for batch in loader:
        step(model, optimizer, batch)
        if torch.cuda.is_available():
            gc.collect()  #! TRN302
