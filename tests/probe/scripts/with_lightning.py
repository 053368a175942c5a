"""Lightning, which runs forward and backward inside the optimizer's step, and saves a checkpoint every three steps."""

import lightning
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)

    def training_step(self, batch, number):
        loss = self.layer(batch[0]).square().mean()
        loss.item()
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


loader = DataLoader(TensorDataset(torch.randn(400, 4)), batch_size=4)
trainer = lightning.Trainer(
    max_epochs=5,
    accelerator="cpu",
    logger=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    callbacks=[ModelCheckpoint(dirpath="checkpoints", every_n_train_steps=3, save_top_k=-1)],
)
trainer.fit(Model(), loader)
