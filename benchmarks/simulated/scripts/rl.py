"""Policy gradients in an environment of the host: each of its steps asks the policy on the device."""

import math
import sys

import torch
from torch import nn
from torch.distributions import Categorical

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 1
EPISODES, ACTS, WIDTH = 44, 5, 32 * SIZE
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)

policy = nn.Sequential(nn.Linear(3, WIDTH), nn.Tanh(), nn.Linear(WIDTH, 4)).to(device)
optimizer = torch.optim.RMSprop(policy.parameters(), lr=1e-3)
losses = []


def moved(state, action):
    angle = state[0] + 0.1 * (action - 1.5)
    return [angle, math.sin(angle), math.cos(angle)], math.cos(angle)


for episode in range(EPISODES):
    state, likely, rewards, entropies = [0.1 * episode, 0.0, 1.0], [], [], []
    for _ in range(ACTS):
        seen = torch.tensor(state, device=device)  # copy to device 5/step
        chosen_by = Categorical(logits=policy(seen), validate_args=True)  # wait 5/step
        action = chosen_by.sample()
        likely.append(chosen_by.log_prob(action))  # wait 5/step
        entropies.append(chosen_by.entropy())
        state, reward = moved(state, action.item())  # wait 5/step
        rewards.append(reward)
    returns = torch.tensor([sum(rewards[at:]) for at in range(ACTS)]).to(device)  # copy to device 1/step
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    loss = -(torch.stack(likely) * returns).sum() - 0.01 * torch.stack(entropies).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.detach())
    if episode % 10 == 9:
        print(episode, sum(rewards), loss.detach().cpu().item())  # copy to host 1/10 steps
