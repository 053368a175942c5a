"""The length of the schedule is divided: no TRN609."""

import torch


def train(model, criterion, train_loader, accumulation_steps=4):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=len(train_loader) // 4)
    for i, (inputs, targets) in enumerate(train_loader):
        loss = criterion(model(inputs), targets) / accumulation_steps
        loss.backward()
        if (i + 1) % accumulation_steps == 0:
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
