"""Choosing an action needs no graph; learning does."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Critic(nn.Module):
    def __init__(self, observations, actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(observations, 64), nn.ReLU(), nn.Linear(64, actions))

    def forward(self, observation):
        return self.body(observation)


def learn(envs, memory, device, total):
    critic = Critic(8, 4).to(device)
    optimizer = torch.optim.Adam(critic.parameters())
    observation, _ = envs.reset()
    for step in range(total):
        scores = critic(torch.as_tensor(observation, device=device))  #! TRN303
        actions = torch.argmax(scores, dim=1).cpu().numpy()
        following, rewards, done, _, _ = envs.step(actions)
        memory.add(observation, following, actions, rewards, done)
        observation = following
        if step > 1000:
            batch = memory.sample(128)
            with torch.no_grad():
                target = batch.rewards + critic(batch.following).max(1).values
            chosen = critic(batch.observations).gather(1, batch.actions).squeeze()
            loss = F.mse_loss(chosen, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
