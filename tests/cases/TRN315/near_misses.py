"""Outputs without a graph, or with one that is still needed."""

import torch


def train(model, criterion, optimizer, loader, device):
    kept, classes = [], []
    for inputs, targets in loader:
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        outputs = model(inputs)
        parts = []
        for piece in outputs.chunk(2):
            piece = piece * 2
            parts.append(piece)
        loss = criterion(torch.cat(parts), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        kept.append(outputs.detach())
        classes.append(outputs.argmax(dim=1))
    return torch.cat(kept), torch.cat(classes)


def policy_gradient(policy, optimizer, env, episodes):
    for _ in range(episodes):
        state, done = env.reset(), False
        scores, rewards = [], []
        while not done:
            choice = torch.distributions.Categorical(logits=policy(state))
            action = choice.sample()
            scores.append(choice.log_prob(action))
            state, reward, done = env.step(action)
            rewards.append(reward)
        loss = -torch.stack(scores).sum() * sum(rewards)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def starting_anew(model, criterion, optimizer, loader, device):
    for inputs, targets in loader:
        targets = targets.to(device, non_blocking=True)
        kept = []
        outputs = model(inputs.to(device, non_blocking=True))
        kept.append(outputs)
        loss = criterion(outputs, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def trained_together(model, criterion, optimizer, loader, device):
    kept = []
    for inputs, targets in loader:
        outputs = model(inputs.to(device, non_blocking=True))
        kept.append(outputs)
        loss = criterion(torch.cat(kept), targets.to(device, non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
