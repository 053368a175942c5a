"""The module instead of its function."""

import torch
import torch.utils.checkpoint
from torch.utils import checkpoint


class Net(torch.nn.Module):
    def __init__(self, down, up):
        super().__init__()
        self.down = down
        self.up = up

    def save_memory(self):
        self.down = torch.utils.checkpoint(self.down)  #! TRN316
        self.up = torch.utils.checkpoint(self.up)  #! TRN316

    def forward(self, images):
        if self.training:
            return checkpoint(self.up, self.down(images))  #! TRN316
        return self.up(self.down(images))
