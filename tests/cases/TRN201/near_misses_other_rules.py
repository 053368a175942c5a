"""Reads for a guard, for a bar, for all ranks and in a helper; and one of an evaluation in a step."""

import math

import torch
from tqdm import tqdm


def to_number(value):
    if isinstance(value, torch.Tensor):
        value = value.item()  #! TRN201
    return value


def evaluate(outputs, targets):
    return (outputs.argmax(1) == targets).float().mean().item()


def train(model, criterion, optimizer, accelerator, meter, train_loader, device):
    model = model.to(device)
    bar = tqdm(train_loader)
    for inputs, targets in bar:
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        outputs = model(inputs)
        loss = criterion(outputs, targets)
        if math.isnan(loss.item()):  #! TRN201
            continue
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meter.append(accelerator.gather(loss.detach()).mean().item())  #! TRN201 TRN215
        bar.set_postfix(loss=loss.item())  #! TRN201
        to_number(loss)
        accuracy = evaluate(outputs, targets)
        if accuracy > 0.9:
            break
