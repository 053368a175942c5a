"""A short-time Fourier transform whose result has a last axis for the parts of complex numbers."""

import torch


def magnitudes(samples, window):
    parts = torch.stft(samples, 512, 128, 512, window, return_complex=False)  #! TRN814
    whole = torch.stft(samples, 512, 128, 512, window, return_complex=True)
    return parts.pow(2).sum(-1).sqrt(), whole.abs()
