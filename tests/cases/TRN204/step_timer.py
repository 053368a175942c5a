"""A wait for the device in each step."""

import os

import torch

os.environ["CUDA_LAUNCH_BLOCKING"] = "1"  #! TRN204


def train(model, optimizer, train_loader, meter, device):
    stream = torch.cuda.Stream()
    for inputs in train_loader:
        loss = model(inputs.to(device, non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()  #! TRN204
        stream.synchronize()  #! TRN204
        meter.update(inputs.size(0))
