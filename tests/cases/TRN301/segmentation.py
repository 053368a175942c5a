"""A trainer that flushes the allocator wherever memory once ran short."""

import gc

import torch


class Trainer:
    def __init__(self, model, optimizer, loader, val_loader, device):
        self.model = model
        self.optimizer = optimizer
        self.loader = loader
        self.val_loader = val_loader
        self.device = device

    def fit(self, epochs, accumulate):
        for epoch in range(epochs):
            for index, images in enumerate(self.loader):
                self.step(images.to(self.device, non_blocking=True))
                if torch.cuda.is_available():
                    torch.cuda.empty_cache()  #! TRN301
                if (index + 1) % accumulate == 0:
                    self.optimizer.step()
                    self.optimizer.zero_grad()
                    torch.cuda.empty_cache()  #! TRN301
            self.validate()

    def step(self, images):
        loss = self.model(images).mean()
        loss.backward()
        self.flush()

    def flush(self):
        gc.collect()
        torch.cuda.empty_cache()  #! TRN301

    @torch.no_grad()
    def validate(self):
        for images in self.val_loader:
            self.model(images.to(self.device, non_blocking=True))
            torch.cuda.empty_cache()
