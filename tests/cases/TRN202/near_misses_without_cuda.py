"""Copies for devices that lack an operator: no step on a GPU makes them, but each builds a window on the CPU."""

import torch


def train(model, optimizer, train_loader, device):
    on_mps = device.type == "mps"
    for waves in train_loader:
        waves = waves.to(device, non_blocking=True)
        found = model(waves)
        if on_mps:
            found = found.cpu()
        loss = torch.stft(found, 512, window=torch.hann_window(512).to(found), return_complex=True).abs().mean()  #! TRN207
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def spectrum(wave, size):
    is_mps = wave.device.type == "mps"
    if is_mps:
        wave = wave.cpu()
    return torch.stft(wave, size, window=torch.hann_window(size).to(wave), return_complex=True)  #! TRN207


def train_on_spectra(model, optimizer, train_loader, device):
    for waves in train_loader:
        waves = waves.to(device, non_blocking=True)
        loss = spectrum(model(waves)["wave"], 512).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
