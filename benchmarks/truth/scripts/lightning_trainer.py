# requires: lightning==2.6.6
# packages: lightning
# kind: trainer
import lightning
import torch
from torch.utils.data import DataLoader, TensorDataset


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = torch.nn.Linear(8, 2)

    def training_step(self, batch, index):
        inputs, labels = batch
        loss = torch.nn.functional.cross_entropy(self.model(inputs), labels)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


loader = DataLoader(TensorDataset(torch.randn(160, 8), torch.randint(0, 2, (160,))), batch_size=8)
trainer = lightning.Trainer(
    accelerator="cuda",
    devices=1,
    max_epochs=1,
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=True,
    gradient_clip_val=1.0,
)
trainer.fit(Module(), loader)
