"""Reads without an `.item()` in sight."""

import logging
import math

import torch
import torch.nn.functional as F
import wandb

logger = logging.getLogger(__name__)


def train(model, optimizer, train_loader, writer, bar, device):
    best = math.inf
    for step, (inputs, targets) in enumerate(train_loader):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        loss = F.cross_entropy(model(inputs), targets)
        assert torch.isfinite(loss)  #! TRN203
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if math.isnan(norm):  #! TRN203
            continue
        optimizer.step()
        writer.add_scalar("loss", loss, step)  #! TRN203
        text = f"loss {loss:.3f}, norm {norm:.1f}"  #! TRN203
        line = "loss %.3f" % loss  #! TRN203
        bar.set_description(text + line)
        best = min(best, float(loss))  #! TRN203
        count = max(1, (targets != 0).sum())  #! TRN203
        print("counted", count)  #! TRN203
        if any(not torch.isfinite(p.grad).all() for p in model.parameters()):  #! TRN203
            print("a gradient is not finite")
        large = loss > 10.0 and norm > 1.0  #! TRN203
        settled = not norm > 0.1  #! TRN203
        bad = any(torch.isnan(p.grad).any() for p in model.parameters())  #! TRN203
        named = [name for name, p in model.named_parameters() if p.grad.abs().max() > 1.0]  #! TRN203
        logger.info("step %d, loss %s", step, loss)  #! TRN203
        wandb.log({"loss": loss, "step": step})  #! TRN203
        rate = math.tanh(norm)  #! TRN203
        for _ in range(targets.max()):  #! TRN209
            best = best + 1
        model.remember(str(loss), large, settled, bad, named, rate)  #! TRN203
