"""Rows of arrays that each step picks and copies from pageable memory: one batch, one finding."""

import numpy as np
import torch
from torch import nn


class Memory:
    def __init__(self, size, width, device):
        self.states = np.zeros((size, width))
        self.rewards = np.zeros((size, 1))
        self.filled = 0
        self.device = device

    def add(self, state, reward):
        self.states[self.filled] = state
        self.rewards[self.filled] = reward
        self.filled += 1

    def draw(self, count):
        rows = np.random.randint(0, self.filled, size=count)
        states = self.states[rows].copy()
        return (
            torch.as_tensor(states, device=self.device).float(),  #! TRN207
            torch.FloatTensor(self.rewards[rows]).to(self.device),  #! TRN207
        )

    def latest(self):
        return torch.as_tensor(self.states[self.filled - 1], device=self.device)  #! TRN207


class Agent:
    def __init__(self, device):
        self.net = nn.Linear(8, 1).to(device)
        self.optimizer = torch.optim.Adam(self.net.parameters())
        self.memory = Memory(1000, 8, device)

    def update(self):
        states, rewards = self.memory.draw(64)
        loss = nn.functional.mse_loss(self.net(states), rewards)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.net(self.memory.latest().float())


def main(env):
    agent = Agent("cuda")
    for _ in range(10_000):
        agent.memory.add(*env.step())
        agent.update()
