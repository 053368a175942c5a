"""Losses that are divided somewhere, or that need not be."""

import torch


def divided(args, model, criterion, optimizer, loader):
    for step, (inputs, targets) in enumerate(loader):
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets)
        loss = loss / args.grad_accumulation
        loss.backward()
        if (step + 1) % args.grad_accumulation == 0:
            optimizer.step()
            optimizer.zero_grad()


def divided_by_function(model, criterion, optimizer, loader, n_accumulate):
    for step, (inputs, targets) in enumerate(loader):
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets, n_accumulate)
        loss.backward()
        if (step + 1) % n_accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()


def for_a_nominal_batch(model, criterion, loader, nominal, rate):
    accumulate = max(round(nominal / loader.batch_size), 1)
    decay = 5e-4 * loader.batch_size * accumulate / nominal
    optimizer = torch.optim.SGD(model.parameters(), lr=rate, weight_decay=decay)
    last = -1
    for step, (inputs, targets) in enumerate(loader):
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets)
        loss.backward()
        if step - last >= accumulate:
            optimizer.step()
            optimizer.zero_grad()
            last = step


def by_engine(engine, loader, accum_steps):
    for step, (inputs, targets) in enumerate(loader):
        loss = engine(inputs, targets)
        engine.backward(loss)
        if (step + 1) % accum_steps == 0:
            engine.step()


def scaled_by_weight(model, criterion, optimizer, loader, factor, micro_batches):
    for step, (inputs, targets) in enumerate(loader):
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets) * factor
        loss.backward()
        if (step + 1) % micro_batches == 0:
            optimizer.step()
            optimizer.zero_grad()
