"""Graphs that are gone through again."""

import torch


def two_losses(model, first, second, optimizer, loader):
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        outputs = model(inputs)
        optimizer.zero_grad()
        first(outputs, targets).backward(retain_graph=True)
        second(outputs, targets).backward()
        optimizer.step()


def with_penalty(model, criterion, optimizer, loader, penalize):
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        outputs = model(inputs)
        loss = criterion(outputs, targets)
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        penalize(outputs, model)
        optimizer.step()


def penalize(outputs, model):
    return torch.autograd.grad(outputs.sum(), list(model.parameters()))


def recurrent(cell, criterion, optimizer, loader):
    state = torch.zeros(1, 8, device="cuda")
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        state = cell(inputs, state)
        loss = criterion(state, targets)
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()


def on_fixed_features(encoder, head, criterion, optimizer, images, loader):
    features = encoder(images)
    for targets in loader:
        targets = targets.cuda(non_blocking=True)
        loss = criterion(head(features), targets)
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()


def second_order(model, criterion, optimizer, loader):
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward(retain_graph=True, create_graph=True)
        optimizer.step()


def one_step(model, criterion, optimizer, inputs, targets):
    loss = criterion(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    return loss
