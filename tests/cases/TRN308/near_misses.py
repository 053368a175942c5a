"""Losses that are divided, sums of several losses, and means that are only logged."""


def train(model, criterion, penalty, optimizer, loader, count, weight):
    mean = 0.0
    for step, (inputs, targets) in enumerate(loader):
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets)
        extra = penalty(model)
        loss += extra / weight
        loss = loss + loss.detach() / weight
        loss = loss / count
        loss.backward()
        if (step + 1) % count == 0:
            optimizer.step()
            optimizer.zero_grad()
        # A step without a number repeats what the mean is so far.
        mean += mean / (1 + step)
    return mean
