"""Guards against NaN in their usual forms, each of which waits for the device in each step."""

import logging
import math

import numpy as np
import torch

logger = logging.getLogger(__name__)


def train(model, optimizer, loader, device):
    model = model.to(device)
    for images, labels in loader:
        images = images.to(device, non_blocking=True)
        labels = labels.to(device, non_blocking=True)
        outputs = model(images)
        assert not torch.isnan(outputs).any(), "the network gives NaN"  #! TRN203
        loss = torch.nn.functional.cross_entropy(outputs, labels)
        if math.isnan(loss):  #! TRN203
            logger.warning("a step is left out")
            continue
        if loss != loss:  #! TRN203
            continue
        if np.isinf(loss.item()):  #! TRN201
            raise FloatingPointError
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if torch.isnan(norm) or torch.isinf(norm):  #! TRN203
            continue
        if torch.isfinite(outputs).logical_not().sum() > 0:  #! TRN203
            continue
        skipped = torch.isnan(norm).item()  #! TRN201
        if not skipped:
            optimizer.step()


def filtered(model, optimizer, loader, args):
    """What is logged leaves such losses out: each step asks."""
    total = torch.zeros((), device="cuda")
    for inputs in loader:
        loss = model(inputs.to("cuda", non_blocking=True)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if args.logging_nan_loss_filter and (torch.isnan(loss) or torch.isinf(loss)):  #! TRN203
            continue
        total += loss.detach()
    return total
