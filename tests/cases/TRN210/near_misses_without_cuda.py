"""Copies for devices that lack an operator: no step on a GPU makes them, but each builds a window on the CPU."""

import torch
from torch import nn


def spectrum(wave, size):
    on_mps = wave.device.type == "mps"
    if on_mps:
        wave = wave.cpu()
    window = torch.hann_window(size).to(wave)  #! TRN207
    return torch.stft(wave, size, window=window, return_complex=True).abs()


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(257, 1)

    def forward(self, wave):
        return self.layer(spectrum(wave, 512).mT)


def train(optimizer, train_loader, device):
    model = Tower().to(device)
    for waves in train_loader:
        waves = waves.to(device, non_blocking=True)
        loss = model(waves).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
