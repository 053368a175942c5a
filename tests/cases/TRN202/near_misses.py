"""Copies to the host that are due, or that are none."""

import numpy as np
import torch


@torch.no_grad()
def predict(model, test_loader, device):
    model.cpu()
    found = []
    for inputs in test_loader:
        found.append(model(inputs.to(device, non_blocking=True)).cpu().numpy())
    return np.concatenate(found).tolist()


def lengths_of(completion_ids):
    return [row.index(0) if 0 in row else len(row) for row in completion_ids.tolist()]


@torch.no_grad()
def eval_step(model, inputs, masks):
    found = model(inputs.cuda(non_blocking=True)).argmax(-1)
    return [found[mask].cpu().numpy() for mask in masks]


def train_with_lengths(model, policy, optimizer, prompt_loader, masks, device):
    for prompts in prompt_loader:
        with torch.no_grad():
            completion_ids = policy(prompts.to(device, non_blocking=True)).argmax(-1)
        lengths = lengths_of(completion_ids)
        loss = model(completion_ids, lengths).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.remember(eval_step(model, prompts, masks))
