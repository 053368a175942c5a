"""Losses and metrics of all ranks, brought together in each step for a log."""

import torch
import torch.distributed as dist


def train(model, optimizer, loader, accelerator, writer, metrics):
    total = 0.0
    for step, (inputs, targets) in enumerate(loader):
        outputs = model(inputs)
        loss = torch.nn.functional.cross_entropy(outputs, targets)
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()
        mean_loss = accelerator.gather(loss.detach()).mean()  #! TRN215
        total += mean_loss
        metrics["loss"].append(accelerator.gather(loss.detach()).mean().item())  #! TRN201 TRN215
        if step % 100 == 0:
            writer.add_scalar("loss", total / 100, step)


def train_by_hand(model, optimizer, loader, logger, device):
    model = model.to(device)
    for step, (inputs, targets) in enumerate(loader):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        loss = torch.nn.functional.cross_entropy(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        shown_loss = loss.detach().clone()
        dist.all_reduce(shown_loss)  #! TRN215
        shown_loss = shown_loss / dist.get_world_size()
        if step % 10 == 0:
            logger.info("loss %s", shown_loss)
