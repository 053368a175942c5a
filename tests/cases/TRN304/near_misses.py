"""Sums that are trained, that start anew, or that carry no graph."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from meters import Average


class Sum(nn.Module):
    def forward(self, outputs, targets):
        losses = {}
        total = 0.0
        for name, output in outputs.items():
            losses[name] = F.mse_loss(output, targets)
            total += losses[name]
        losses["total"] = total
        return losses


def train(model, heads, critic, optimizer, train_loader, accumulate, device):
    meter, seen, plain, shown, kept = Average(), 0, 0.0, torch.zeros((), device=device), []
    for step, (inputs, targets) in enumerate(train_loader):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        features = model(inputs)
        loss = torch.zeros((), device=device)
        terms = []
        for head in heads:
            loss += F.mse_loss(head(features), targets)
            terms.append(critic(features))
        count = (targets != 0).sum()
        loss = (loss + torch.stack(terms).mean()) / count
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meter.append(loss)
        seen += count
        kept.append(loss.detach())
        with torch.no_grad():
            shown += loss
        value = loss.detach() * inputs.size(0)
        plain += value
    print(plain, seen, shown, kept)


def accumulate_then_train(model, optimizer, train_loader, device, every):
    window = 0.0
    for step, inputs in enumerate(train_loader):
        loss = model(inputs.to(device, non_blocking=True)).mean()
        window = window + loss
        if (step + 1) % every == 0:
            (window / every).backward()
            optimizer.step()
            optimizer.zero_grad()
            window = 0.0


def twice_backward(model, optimizer, train_loader, device):
    penalty = 0.0
    for inputs in train_loader:
        loss = model(inputs.to(device, non_blocking=True)).mean()
        loss.backward(retain_graph=True)
        penalty += loss
    optimizer.zero_grad()
    (penalty**2).backward()
    optimizer.step()


@torch.no_grad()
def validate(model, val_loader, device):
    total, outputs = 0.0, []
    for inputs, targets in val_loader:
        output = model(inputs.to(device, non_blocking=True))
        total += F.mse_loss(output, targets.to(device, non_blocking=True))
        outputs.append(output)
    return total, torch.cat(outputs)


def train_with_validation(model, optimizer, train_loader, val_loader, device, epochs):
    for _ in range(epochs):
        for batch in train_loader:
            outputs = model(batch.to(device, non_blocking=True))
            loss = outputs.loss
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        losses = []
        for batch in val_loader:
            with torch.no_grad():
                outputs = model(batch.to(device, non_blocking=True))
            loss = outputs.loss
            losses.append(loss)
        print(torch.stack(losses).mean().item())


def reinforce(policy, envs, optimizer, episodes):
    for _ in range(episodes):
        observation, chances = envs.reset(), []
        for _ in range(500):
            choice = torch.distributions.Categorical(policy(observation))
            action = choice.sample()
            chances.append(choice.log_prob(action))
            observation, reward = envs.step(action.numpy())
        loss = -(reward * torch.stack(chances)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


