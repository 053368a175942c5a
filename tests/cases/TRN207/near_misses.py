"""Tensors that are made where they are needed, or only once."""

import torch
import torch.nn.functional as F
from torch import nn


class Encoder(nn.Module):
    def __init__(self, width, device):
        super().__init__()
        self.register_buffer("scale", torch.ones(width))
        self.start = torch.zeros(1, width).to(device)
        self.cache = None
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        if self.cache is None:
            self.cache = torch.arange(x.shape[1]).to(x.device)
        if not hasattr(self, "ramp"):
            self.ramp = torch.linspace(0, 1, x.shape[1]).to(x.device)
        mask = torch.zeros_like(x).to(x.device)
        places = torch.arange(x.shape[1], device=x.device).to(torch.float32)
        noise = torch.randn(x.shape, generator=torch.Generator()).to(x.device)
        return self.linear(x * self.scale) + mask + noise + places[:, None]


def train(model, optimizer, train_loader, device):
    total = torch.zeros(1).to(device)
    weights = torch.tensor([0.2, 0.8]).cuda()
    for step, (images, labels) in enumerate(train_loader):
        images = images.to(device, non_blocking=True)
        labels = labels.to(device, non_blocking=True)
        lengths = torch.tensor(sorted(images.shape), pin_memory=True).to(device, non_blocking=True)
        loss = F.cross_entropy(model(images, lengths), labels, weight=weights)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
        if step % 200 == 0:
            grid = torch.zeros(8, 8).to(device)
            model.preview(grid)
    return total


def on_the_device(model, optimizer, train_loader):
    for images in train_loader:
        images = images.cuda(non_blocking=True)
        with torch.device("cuda"):
            noise = torch.randn(images.shape).to("cuda")
        optimizer.zero_grad()
        model(images + noise).mean().backward()
        optimizer.step()


def play(agent, env, device, steps):
    observation = torch.Tensor(env.reset()).to(device)
    for _ in range(steps):
        reward = env.step(agent(observation))
        agent.remember(torch.tensor(reward).to(device))


def load_table(path, module):
    module.table = torch.eye(4).to(module.weight.device)
    return module


def nothing_of_one_kind(model, optimizer, train_loader, device):
    for images, chosen in train_loader:
        images = images.to(device, non_blocking=True)
        scores = model(images)
        if chosen:
            kept, dropped = scores, torch.Tensor([]).to(device)
        else:
            kept, dropped = torch.zeros(0, 4).to(device), torch.tensor([]).cuda()
        optimizer.zero_grad()
        torch.cat((kept, dropped, torch.empty((0,)).to(device))).mean().backward()
        optimizer.step()


class Exported(nn.Module):
    def forward(self, x):
        return x * self.scale

    def input_example(self, batch=1):
        first = next(self.parameters())
        return (torch.zeros(batch, 3).to(first.device),)


class Generator:
    def generate(self, model, prompt, length):
        padding = torch.zeros(prompt.shape[0], length).long().cuda()
        tokens = torch.cat((prompt, padding), dim=1)
        for index in range(length):
            tokens[:, prompt.shape[1] + index] = model(tokens)[:, -1].argmax(-1)
        return tokens
