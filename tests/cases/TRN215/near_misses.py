"""Collectives that come seldom, or whose result decides something."""

import torch
import torch.distributed as dist


def train(model, optimizer, scheduler, loader, accelerator, writer, device):
    model = model.to(device)
    for step, (inputs, targets) in enumerate(loader):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        outputs = model(inputs)
        count = (targets >= 0).sum()
        dist.all_reduce(count)
        loss = torch.nn.functional.cross_entropy(outputs, targets, reduction="sum") / count
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            shown_loss = loss.detach().clone()
            dist.all_reduce(shown_loss)
            writer.add_scalar("loss", shown_loss, step)
        mean_loss = accelerator.gather(loss.detach()).mean()
        scheduler.step(mean_loss)


@torch.no_grad()
def evaluate(model, loader, accelerator, writer):
    for inputs, targets in loader:
        loss = torch.nn.functional.cross_entropy(model(inputs), targets)
        writer.add_scalar("loss", accelerator.gather_for_metrics(loss).mean().item())
