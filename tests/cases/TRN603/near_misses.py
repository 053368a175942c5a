"""Optimizers that are built anew for a reason."""

import copy

import torch


def folds(build, criterion, loaders):
    for loader in loaders:
        model = build()
        optimizer = torch.optim.Adam(model.parameters())
        for inputs, targets in loader:
            optimizer.zero_grad()
            criterion(model(inputs), targets).backward()
            optimizer.step()


def adapts_to_each_task(model, criterion, tasks):
    for inputs, targets in tasks:
        learner = copy.deepcopy(model)
        optimizer = torch.optim.AdamW(learner.parameters())
        loss = criterion(learner(inputs), targets)
        loss.backward()
        optimizer.step()


def for_each_sample(model, criterion, train_loader):
    for inputs, targets in train_loader:
        optimizer = torch.optim.Adam(model.prompt.parameters())
        for _ in range(20):
            optimizer.zero_grad()
            criterion(model(inputs), targets).backward()
            optimizer.step()


def restarts(model, criterion, train_loader, period):
    optimizer = torch.optim.Adam(model.parameters())
    for step, (inputs, targets) in enumerate(train_loader):
        if step % period == 0:
            optimizer = torch.optim.Adam(model.parameters())
        optimizer.zero_grad()
        criterion(model(inputs), targets).backward()
        optimizer.step()


def without_a_state(model, criterion, train_loader):
    for inputs, targets in train_loader:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        optimizer.zero_grad()
        criterion(model(inputs), targets).backward()
        optimizer.step()


def of_the_input(model, criterion, train_loader):
    for inputs, targets in train_loader:
        noise = torch.zeros_like(inputs, requires_grad=True)
        optimizer = torch.optim.Adam([noise])
        criterion(model(inputs + noise), targets).backward()
        optimizer.step()
