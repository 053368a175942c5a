"""A Lightning training. Planted: anomaly detection by the trainer, and garbage collections in its step."""

import gc
import sys

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

planted = sys.argv[1]


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1))

    def training_step(self, batch, number):
        if planted == "collects":
            gc.collect()
        return self.layers(batch[0]).square().mean()

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


torch.manual_seed(0)
loader = DataLoader(TensorDataset(torch.randn(40_000, 32)), batch_size=32)
trainer = lightning.Trainer(
    max_epochs=50,
    accelerator="cpu",
    logger=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    enable_checkpointing=False,
    detect_anomaly=planted == "anomalies",
)
trainer.fit(Model(), loader)
