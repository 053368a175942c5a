"""A graph that is kept for nobody."""

import torch


def train(model, criterion, optimizer, loader):
    total = torch.zeros((), device="cuda")
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        outputs = model(inputs)
        loss = criterion(outputs, targets)
        loss = loss + 0.1 * outputs.square().mean()
        optimizer.zero_grad()
        loss.backward(retain_graph=True)  #! TRN305
        optimizer.step()
        total += loss.detach()
    return total


def adversarial(generator, critic, criterion, first, second, loader):
    for real in loader:
        real = real.cuda(non_blocking=True)
        fake = generator(real)
        first.zero_grad()
        criterion(critic(fake)).backward()
        first.step()
        score = criterion(critic(real)) + criterion(critic(fake.detach()))
        second.zero_grad()
        score.backward(retain_graph=True)  #! TRN305
        second.step()
