"""What ranks bring together and only show is no agreement."""

import torch
import torch.distributed as dist


def train(model, criterion, optimizer, train_loader, writer, device, size):
    for step, (inputs, targets) in enumerate(train_loader):
        inputs, targets = inputs.to(device, non_blocking=True), targets.to(device, non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        shared = loss.detach().clone()
        dist.all_reduce(shared)
        if step > 3 and shared.item() > 100.0:  #! TRN201
            raise RuntimeError("the loss ran away")
        count = torch.full((1,), len(targets), device=device)
        dist.all_reduce(count)
        size.update(count.item())  #! TRN201
