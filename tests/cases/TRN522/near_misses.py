"""Logging where it belongs, a bar that is drawn seldom, and trainers of other kinds."""

import lightning as L
import torch.nn.functional as F
from lightning.pytorch.callbacks import TQDMProgressBar
from transformers import Trainer


class Classifier(L.LightningModule):
    def training_step(self, batch, batch_idx):
        inputs, targets = batch
        loss = F.cross_entropy(self(inputs), targets)
        self.log("loss", loss, prog_bar=True)
        self.log("epoch_loss", loss, on_step=False, on_epoch=True, sync_dist=True)
        self.log("rate", self.rate, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        inputs, targets = batch
        self.log("accuracy", F.cross_entropy(self(inputs), targets), sync_dist=True, prog_bar=True)


def fit(model, data, options):
    bar = TQDMProgressBar(refresh_rate=50)
    L.Trainer(accelerator="gpu", precision="16-mixed", callbacks=[bar], profiler=options.profiler).fit(model, data)
    L.Trainer(accelerator="cpu").fit(model, data)
    L.Trainer(accelerator="gpu", **options.trainer).fit(model, data)


def of_another_house(model, data):
    Trainer(model=model, train_dataset=data).train()
