"""Copies to the host that are no part of a training step's computing."""

import torch
from torch import nn


class PostProcess(nn.Module):
    def forward(self, outputs):
        return outputs.softmax(-1).cpu().numpy()


class Tagger(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.recurrent = nn.LSTM(width, width)
        self.history = []

    def forward(self, features, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(features, lengths, enforce_sorted=False)
        output, _ = self.recurrent(packed)
        if not self.training:
            self.history.append(output.data.cpu())
        shape = torch.Size(features.shape)
        first = shape[0]
        return output.data[:first].sum()

    @torch.no_grad()
    def predict(self, features, lengths):
        return self(features, lengths).cpu().tolist()


def train(loader, device):
    model = Tagger(64).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for features, lengths in loader:
        features = features.to(device, non_blocking=True)
        loss = model(features, lengths)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
