"""Tests and texts that read no device tensor, or do so only now and then."""

import math

import torch
import torch.nn.functional as F


def train(model, optimizer, train_loader, scheduler, args, device, scale=None):
    for step, (inputs, targets) in enumerate(train_loader):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        logits = model(inputs)
        if logits.shape[0] != targets.shape[0] or logits.dtype != torch.float32:
            raise ValueError(f"got {logits.shape}, expected {targets.size(0)} rows")
        if scale is not None and isinstance(logits, torch.Tensor):
            logits = logits * scale
        loss = F.cross_entropy(logits, targets)
        torch._assert_async(torch.isfinite(loss))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rate = float(args.learning_rate) * math.sqrt(step + 1)
        scheduler.set(max(1, step), min(rate, 0.1))
        print(f"step {step}, rate {rate:.2e}, {int(inputs.shape[0])} samples")
        if step % args.interval == 0:
            print(f"loss {loss:.3f}")
            if math.isnan(loss):
                raise RuntimeError("the loss is not a number")
        if (logits.is_cuda or logits.is_xpu) and not logits.requires_grad:
            raise RuntimeError("the model is frozen")
        assert logits.ndim == 2, f"strange logits {logits}"
    print(f"last loss {loss:.3f}")
