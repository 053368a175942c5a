"""A module that logs in its steps, and trainers that were left as they were while debugging."""

import lightning as L
import torch.nn.functional as F


class Autoencoder(L.LightningModule):
    def training_step(self, batch, batch_idx):
        images, _ = batch
        loss = F.mse_loss(self(images), images)
        self.log("loss", loss, prog_bar=True)  #! TRN522
        self.log_dict({"reconstruction": loss}, on_step=True, sync_dist=True)  #! TRN522
        return loss


def many_gpus(model, data):
    trainer = L.Trainer(
        accelerator="gpu",
        precision=32,  #! TRN522
        strategy="ddp_find_unused_parameters_true",
    )
    trainer.fit(model, data)
    L.Trainer(accelerator="cuda", devices=2).fit(model, data)  #! TRN522
