"""Windows of signals are tables that the device can compute, too."""

import torch
from torch import nn


class Spectrum(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.layer = nn.Linear(size // 2 + 1, 1)

    def forward(self, wave):
        if wave.device.type == "mps":
            wave = wave.cpu()
        window = torch.hann_window(self.size).to(wave.device)  #! TRN207
        found = torch.stft(wave, self.size, window=window, return_complex=True)
        return self.layer(found.abs().mT)


class SpectrumOnDevice(Spectrum):
    def forward(self, wave):
        window = torch.hann_window(self.size, device=wave.device)
        found = torch.stft(wave, self.size, window=window, return_complex=True)
        return self.layer(found.abs().mT)


def train(loader, optimizer):
    model = Spectrum(512).cuda()
    for waves in loader:
        loss = model(waves.cuda(non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
