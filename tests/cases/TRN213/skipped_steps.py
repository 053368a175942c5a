"""Whether the scaler skipped a step, asked of the device."""

import torch
from torch.amp import GradScaler


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
