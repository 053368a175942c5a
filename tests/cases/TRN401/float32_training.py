"""Attention trains on CUDA without a word of 16 bits."""

import torch
import torch.nn.functional as F
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"


class CausalAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.attend = nn.MultiheadAttention(width, 12, batch_first=True)

    def forward(self, x):
        return self.attend(x, x, x, need_weights=False)[0]


def train_language_model(batches):
    model = CausalAttention(768).to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    for step, (tokens, targets) in enumerate(batches):
        tokens, targets = tokens.to(device, non_blocking=True), targets.to(device, non_blocking=True)
        loss = F.mse_loss(model(tokens), targets)  #! TRN401 TRN406
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    from corpora import batches

    train_language_model(batches)
