"""A loss over the rows that count, and other shapes that only the device knows."""

import torch
import torch.nn.functional as F


def train(model, teacher, optimizer, train_loader, pad, device):
    for tokens, targets, lengths in train_loader:
        tokens = tokens.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        lengths = lengths.to(device, non_blocking=True)
        logits = model(tokens)
        known = (targets != pad) & (targets != 0)
        padded = ~known
        loss = F.cross_entropy(logits[known], targets[known])  #! TRN209
        logits[padded] -= 1.0  #! TRN209
        logits[known] = teacher(tokens)[known]  #! TRN209
        rows = torch.where(targets == 1)[0]  #! TRN209
        chosen = torch.nonzero(targets, as_tuple=False)  #! TRN209
        picked = torch.masked_select(logits, known.unsqueeze(-1))  #! TRN209
        classes = targets.unique()  #! TRN209
        spread = torch.repeat_interleave(logits.mean(1), lengths, dim=0)  #! TRN209
        counts = torch.bincount(targets.flatten())  #! TRN209
        hot = F.one_hot(targets)  #! TRN209
        loss = loss + picked.mean() + spread.mean() + hot.float().mean() * 0 + (rows.float() + counts[0]).mean() * 0
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.remember(chosen, classes)
