"""Of two agents one works with tensors that it makes on the host, so that its network is there as well: no TRN203."""

import random

import torch
from torch import nn, optim


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 8)
        self.outer = nn.Linear(8, 2)

    def forward(self, states):
        return self.outer(torch.relu(self.inner(states)))


class OnHost:
    def __init__(self):
        self.network = Network()
        self.optimizer = optim.Adam(self.network.parameters())

    def learn(self, memory):
        drawn = random.sample(memory, 32)
        states = torch.FloatTensor([item.state for item in drawn])
        rewards = torch.FloatTensor([item.reward for item in drawn])
        scores = self.network(states)
        if scores[0, 0] > scores[0, 1]:
            self.first = True
        loss = nn.functional.mse_loss(scores.squeeze(1), rewards)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        if loss > 3:
            self.high = True


class OnDevice:
    def __init__(self):
        self.network = Network().cuda()
        self.optimizer = optim.Adam(self.network.parameters())

    def learn(self, memory):
        drawn = random.sample(memory, 32)
        states = torch.FloatTensor([item.state for item in drawn]).cuda()  #! TRN207
        rewards = torch.FloatTensor([item.reward for item in drawn]).cuda()  #! TRN207
        loss = nn.functional.mse_loss(self.network(states).squeeze(1), rewards)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        if loss > 3:  #! TRN203
            self.high = True


def run(agents, memory):
    slow, fast = OnHost(), OnDevice()
    for _ in range(100_000):
        slow.learn(memory)
        fast.learn(memory)


if __name__ == "__main__":
    run([], [])
