"""A timer of the project that waits for the device, used in each step."""

import time

import torch


class Timer:
    def __init__(self):
        self.seconds = 0.0

    def start(self):
        torch.cuda.synchronize()  #! TRN204
        self.began = time.perf_counter()

    def stop(self):
        torch.cuda.synchronize()  #! TRN204
        self.seconds += time.perf_counter() - self.began


class EpochTimer:
    def stop(self):
        torch.cuda.synchronize()


class Trainer:
    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer
        self.timer = Timer()
        self.epochs = EpochTimer()

    def fit(self, train_loader, device):
        for inputs in train_loader:
            self.timer.start()
            loss = self.model(inputs.to(device, non_blocking=True)).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.timer.stop()
        self.epochs.stop()
