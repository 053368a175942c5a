"""A module that shows how a trainer is used: batches of one, of whatever a dataset gives."""

import lightning
import torch
from torch.utils.data import DataLoader

from .rows import Rows


class Demonstration(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(32, 2)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).sum()

    def train_dataloader(self):
        return DataLoader(Rows())

    def val_dataloader(self):
        return [DataLoader(each) for each in self.held_out]

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
