"""Copies to the host that are due, or that are none."""

import copy

import numpy as np
import torch


def train(model, criterion, optimizer, train_loader, device, args):
    for step, (inputs, targets) in enumerate(train_loader):
        names = targets.tolist()  # the batch is still on the host
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        outputs = model(inputs)
        loss = criterion(outputs, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        half = outputs.to(torch.bfloat16)
        later = outputs.detach().to("cpu", non_blocking=True)
        shown = outputs.detach().numpy()  # a device tensor refuses this, so it is none
        if (step + 1) % args.save_every == 0:
            state = {name: value.cpu() for name, value in model.state_dict().items()}
            torch.save(state, args.path)
            copy.deepcopy(model).cpu()
        if step % args.plot_every == 0:
            args.plot(outputs.detach().cpu().numpy(), names, half, later, shown)


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
