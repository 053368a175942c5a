"""A network that is loaded to be asked, and nothing else."""

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width, bias=False)
        self.norm = nn.BatchNorm1d(width)

    def forward(self, x):
        return torch.relu(self.norm(self.linear(x)))


def main(path, batches):
    encoder = Encoder(256).cuda()
    encoder.load_state_dict(torch.load(path, weights_only=True))
    encoder.eval()  #! TRN716
    with torch.inference_mode():
        return [encoder(batch).cpu() for batch in batches]
