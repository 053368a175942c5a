"""The cache is emptied behind an evaluation, in no loop over batches."""

import pytorch_lightning as pl
import torch


class Module(pl.LightningModule):
    def validation_step(self, batch, _):
        found = self.model(batch).mean()
        torch.cuda.empty_cache()
        return found
