"""Tests and texts that read no device tensor, or do so only now and then."""

import logging
import math

import torch
import torch.nn.functional as F
import wandb

logger = logging.getLogger(__name__)


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
        known = {id(p) for p in model.parameters()}
        fresh = [p for p in model.parameters() if id(p) not in known and p.grad is not None]
        both = scale is not None and logits.requires_grad
        logger.info("step %d, %d samples, %s", step, inputs.size(0), logits.shape)
        logger.debug("loss %s", loss)
        wandb.log({"rate": rate, "kept": loss.shape})
        model.remember(fresh, both, all(p.requires_grad for p in model.parameters()), any([step > 3, rate > 0]))
        if (logits.is_cuda or logits.is_xpu) and not logits.requires_grad:
            raise RuntimeError("the model is frozen")
        assert logits.ndim == 2, f"strange logits {logits}"
    print(f"last loss {loss:.3f}")


def attend(hidden, mode="sum", use_cache=None, left=True):
    if mode == "sum" or mode in ("mean", "max"):
        hidden = hidden * 2
    if use_cache or left or torch.jit.is_scripting():
        hidden = hidden + 1
    return hidden


def train_by_mode(model, optimizer, train_loader, phase, device):
    for inputs in train_loader:
        hidden = attend(model(inputs.to(device, non_blocking=True)), model(inputs), model(inputs), model(inputs))
        device_now = torch.accelerator.current_accelerator()
        if not torch.compiler.is_compiling() and hidden is not None and phase.kind != Phase.TRAIN:
            hidden = hidden.to(device_now or device, non_blocking=True)
        optimizer.zero_grad()
        hidden.mean().backward()
        optimizer.step()


class Phase:
    TRAIN = 1


def spread(values, index, size=None, mask=None):
    if size is None:
        size = int(index.max()) + 1  # every call tells the size
    elif mask is not None and mask.any():
        values = values * mask
    return values.new_zeros(size).index_add_(0, index, values)


def train_with_sizes(model, optimizer, train_loader, device):
    for values, index in train_loader:
        index = index.to(device, non_blocking=True)
        loss = spread(model(values.to(device, non_blocking=True)), index, values.size(0)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
