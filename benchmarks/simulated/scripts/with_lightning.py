"""A regression under Lightning's trainer, with what it does by default."""

import sys
import tempfile
import warnings

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 1
STEPS, BATCH, WIDTH = 44, 8 * SIZE, 16 * SIZE
warnings.simplefilter("ignore")
torch.manual_seed(0)
losses = []


class Regression(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1))

    def training_step(self, batch, at):
        inputs, targets = batch
        loss = nn.functional.mse_loss(self.layers(inputs), targets)
        self.log("loss", loss)
        self.log("mean", loss.item(), on_step=True)  # wait 1/step; copy to device 1/step
        losses.append(loss.detach())
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-2)


data = TensorDataset(torch.randn(STEPS * BATCH, 4), torch.randn(STEPS * BATCH, 1))
model = Regression()
trainer = lightning.Trainer(
    accelerator="gpu" if torch.cuda.is_available() else "cpu",
    devices=1,
    max_steps=STEPS,
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    gradient_clip_val=1.0,
    default_root_dir=tempfile.mkdtemp(),
)
trainer.fit(model, DataLoader(data, batch_size=BATCH))  # copy to device 2/step
