"""Rows cut where each answer ends: one read of the device a row."""

import torch


def update(actor, critic, optimizer, batch):
    mask = batch["attention_mask"][:, 1:]
    start = batch["prompts"].shape[1] - 1
    ends = start + mask[:, start:].sum(1) + 1
    values = critic(batch["input_ids"])
    for row in range(values.shape[0]):
        values[row, ends[row] :] = 0  #! TRN209
    table = [values.mean(0), values.amax(0)]
    best = values.sum(1).argmax()
    baseline = table[best]  #! TRN209
    loss = actor(batch["input_ids"]).mean() + (values - baseline).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def main(actor, critic, optimizer, loader):
    for batch in loader:
        batch = {key: item.to("cuda", non_blocking=True) for key, item in batch.items()}
        update(actor, critic, optimizer, batch)
    torch.save(actor.state_dict(), "actor.pt")
