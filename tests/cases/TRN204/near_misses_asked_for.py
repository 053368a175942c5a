"""Waits that an option asks for; for an exchange with a neighbour, its request is waited for."""

import torch
import torch.distributed as dist


def train(model, optimizer, train_loader, device, sync):
    for inputs in train_loader:
        loss = model(inputs.to(device, non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        if sync == "each":
            torch.cuda.synchronize()
        optimizer.step()


def train_stages(model, optimizer, train_loader, neighbour, device):
    for inputs in train_loader:
        outputs = model(inputs.to(device, non_blocking=True))
        request = dist.isend(outputs, neighbour)
        torch.cuda.synchronize()  #! TRN204
        request.wait()
        optimizer.zero_grad()
        outputs.mean().backward()
        optimizer.step()
