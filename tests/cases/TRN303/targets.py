"""Targets come from a network that is only ever copied into; its graph trains nothing."""

import copy

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Critic(nn.Module):
    def __init__(self, observations, actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(observations, 64), nn.ReLU(), nn.Linear(64, actions))

    def forward(self, observation):
        return self.body(observation)


class Policy(nn.Module):
    def __init__(self, observations, actions):
        super().__init__()
        self.body = nn.Linear(observations, actions)

    def forward(self, observation):
        return torch.tanh(self.body(observation))


def learn(env, memory, device, total):
    critic, target = Critic(8, 4).to(device), Critic(8, 4).to(device)
    target.load_state_dict(critic.state_dict())
    optimizer = torch.optim.Adam(critic.parameters())
    observation = env.reset()
    for step in range(total):
        action = env.action_space.sample()
        observation, reward, done, _ = env.step(action)
        memory.add(observation, action, reward, done)
        batch = memory.sample(128)
        best = target.forward(batch.following).max(1)[0]  #! TRN303
        wanted = batch.rewards + 0.99 * best
        chosen = critic(batch.observations).gather(1, batch.actions).squeeze()
        loss = F.mse_loss(chosen, wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 500 == 0:
            target.load_state_dict(critic.state_dict())


class Agent:
    def __init__(self, device):
        self.policy, self.policy_target = Policy(8, 4).to(device), Policy(8, 4).to(device)
        self.critic, self.critic_target = Critic(12, 1).to(device), Critic(12, 1).to(device)
        self.optimizer = torch.optim.Adam(self.critic.parameters())
        self.policy_optimizer = torch.optim.Adam(self.policy.parameters())

    def learn(self, batch):
        action = self.policy_target(batch.following)  #! TRN303
        value = self.critic_target(torch.cat([batch.following, action], 1))  #! TRN303
        loss = F.mse_loss(self.critic(batch.taken), batch.rewards + value)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.follow()

    def follow(self):
        for own, theirs in zip(self.policy.parameters(), self.policy_target.parameters()):  #! TRN607
            theirs.data.copy_(0.005 * own.data + 0.995 * theirs.data)
        for own, theirs in zip(self.critic.parameters(), self.critic_target.parameters()):  #! TRN607
            theirs.data.mul_(0.995).add_(0.005 * own.data)


def explore(env, device, total, noise):
    actor = Policy(8, 4).to(device)
    optimizer = torch.optim.Adam(actor.parameters())
    observation = env.reset()
    for step in range(total):
        if step < 1000:
            actions = np.array([env.action_space.sample()])
        else:
            actions = actor(torch.Tensor(observation).to(device))  #! TRN207 TRN303
            actions = actions.detach().cpu().numpy() + np.random.normal(0, noise, (1, 4))
        observation, reward, done, _ = env.step(actions)
        if step >= 1000:
            spread = torch.randn_like(torch.Tensor(actions[0]))
            loss = (actor(spread.to(device)) - 1).square().mean()  #! TRN205
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def learn_without_graph(critic, device, batches):
    target = copy.deepcopy(critic)
    optimizer = torch.optim.Adam(critic.parameters())
    for batch in batches:
        with torch.no_grad():
            wanted = batch.rewards + target(batch.following).max(1)[0]
        loss = F.mse_loss(critic(batch.observations), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        target.load_state_dict(critic.state_dict())


def learn_frozen(critic, frozen_target, batches):
    frozen_target.requires_grad_(False)
    optimizer = torch.optim.Adam(critic.parameters())
    for batch in batches:
        loss = F.mse_loss(critic(batch.observations), frozen_target(batch.following))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        frozen_target.load_state_dict(critic.state_dict())


def improve_policy(policy, critic, slow_critic, batches):
    """Gradients flow through the copy into the policy."""
    optimizer = torch.optim.Adam(policy.parameters())
    for batch in batches:
        action = policy(batch.observations)
        loss = -slow_critic(action).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        slow_critic.load_state_dict(critic.state_dict())


def warm_start(student, teacher, batches):
    """A copy that is then trained itself."""
    student.load_state_dict(teacher.state_dict())
    optimizer = torch.optim.Adam(student.parameters())
    for batch in batches:
        loss = student(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
