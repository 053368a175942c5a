"""Values that a bar shows, or that all ranks agree on: the host waits for them all the same."""

import torch
import torch.distributed as dist
from tqdm import tqdm


def train(model, criterion, optimizer, train_loader, device):
    model = model.to(device)
    bar = tqdm(train_loader)
    for step, (inputs, targets) in enumerate(bar):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        bar.set_description(f"loss {loss:.3f}")  #! TRN203
        stop_flag = torch.tensor(step > 1000, device=device)  #! TRN208
        dist.all_reduce(stop_flag)
        if stop_flag > 0:  #! TRN203
            break
