"""Reads that cost nothing in a step."""

import numpy as np
import torch


def train(model, criterion, optimizer, train_loader, val_loader, device, args):
    total = torch.zeros((), device=device)
    for step, (inputs, targets) in enumerate(train_loader):
        due = step % args.print_freq == 0
        lengths = targets.ne(0).sum().item()  # a batch still on the host
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
        scale = np.ceil(inputs.shape[0] / 2).astype("int").item()
        if due and args.rank == 0:
            print(step, loss.item(), lengths, scale)
        if step % 500 == 499:
            print("mean", total.item() / 500)
            total.zero_()
        if args.debug:
            print(loss.item())
        if step == 0:
            print("first loss", loss.item())
        if step % 1000:
            continue
        print("lucky", loss.item())
    evaluate(model, val_loader, device)
    print("last", loss.item())


@torch.no_grad()
def evaluate(model, val_loader, device):
    hits = 0
    for inputs, targets in val_loader:
        guess = model(inputs.to(device, non_blocking=True)).argmax(-1)
        hits += (guess == targets.to(device, non_blocking=True)).sum().item()
    return hits


def act(policy, envs, total, device):
    observation = envs.reset()
    for step in range(total):
        action = policy(torch.as_tensor(observation, device=device)).argmax().item()
        observation, reward = envs.step(action)
        if step > 100:
            loss = policy(torch.as_tensor(observation, device=device)).mean()
            loss.backward()
