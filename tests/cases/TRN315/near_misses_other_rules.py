"""Outputs without a graph, and a part of the loss, which TRN304 reports."""

import torch


def train(model, criterion, optimizer, loader):
    model = model.cuda()
    outputs, parts = [], []
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        with torch.no_grad():
            outputs.append(model(inputs))
        output = model(inputs)
        score = model(inputs.flip(0))
        loss = criterion(output, targets.cuda(non_blocking=True)) + score
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        parts.append(score)  #! TRN304
    return outputs, parts
