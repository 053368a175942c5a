"""Copies that are made seldom, of small things, or because the method is made of them."""

import copy

import torch


def train(model, criterion, optimizer, loader, settings, epochs, evaluate):
    average = copy.deepcopy(model)
    best, kept = 0.0, None
    for epoch in range(epochs):
        for step, (inputs, targets) in enumerate(loader):
            inputs = inputs.cuda(non_blocking=True)
            targets = targets.cuda(non_blocking=True)
            options = copy.deepcopy(settings)
            measure = copy.deepcopy(criterion)
            measure.reduction = "none"
            loss = measure(model(inputs, options), targets).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 1000 == 0:
                kept = copy.deepcopy(model.state_dict())
        score = evaluate(model, epoch)
        if score > best:
            best, kept = score, copy.deepcopy(model.state_dict())
    return average, kept


def meta_train(model, criterion, optimizer, tasks):
    for task in tasks:
        learner = copy.deepcopy(model)
        inner = torch.optim.SGD(learner.parameters(), lr=0.01)
        criterion(learner(task.inputs), task.targets).backward()
        inner.step()
        optimizer.zero_grad()
        criterion(learner(task.queries), task.answers).backward()
        optimizer.step()
