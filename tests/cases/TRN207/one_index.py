"""One index on the host, used several times: one finding. What PyTorch's own helpers give is no tensor."""

import numpy as np
import torch
from torch.optim.optimizer import _get_capturable_supported_devices


def minibatches(model, optimizer, loader, device):
    supported = _get_capturable_supported_devices()
    model.to(device)
    for batch in loader:
        states = batch["states"].to(device, non_blocking=True)
        returns = batch["returns"].to(device, non_blocking=True)
        order = np.random.permutation(len(states))
        assert states.device.type in supported
        loss = (model(states[order]) - returns[order]).pow(2).mean()  #! TRN207
        kept = returns[order].sum()  #! TRN207
        optimizer.zero_grad()
        (loss + kept).backward()
        optimizer.step()
        order = np.random.permutation(len(states))
        model(states[order])  #! TRN207
