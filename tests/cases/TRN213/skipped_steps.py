"""Whether the scaler skipped a step, asked of the device."""

import torch
from torch.amp import GradScaler


def train(model, criterion, optimizer, scheduler, train_loader, writer, device):
    scaler = GradScaler("cuda")
    for step, (inputs, targets) in enumerate(train_loader):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        with torch.autocast("cuda", dtype=torch.float16):
            loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        before = scaler.get_scale()  #! TRN213
        scaler.step(optimizer)
        scaler.update()
        skipped = before > scaler.get_scale()  #! TRN213
        if not skipped:
            scheduler.step()
        writer.add_scalar("scale", scaler.get_scale(), step)  #! TRN213


class Trainer:
    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer
        self.scaler = torch.cuda.amp.GradScaler()  #! TRN801

    def fit(self, train_loader, device):
        for inputs in train_loader:
            loss = self.model(inputs.to(device, non_blocking=True)).mean()
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer)
            self.scaler.update()
            self.last_state = self.scaler.state_dict()  #! TRN213
            self.optimizer.zero_grad()
