"""`in` asks a batch that may be a dict for a key, which reads nothing; a number is looked for in a tensor."""

import pytorch_lightning as pl
import torch.nn.functional as F


class Tagged(pl.LightningModule):
    def __init__(self, model, kind):
        super().__init__()
        self.model = model
        self.kind = kind

    def training_step(self, batch, batch_idx):
        return self.shared(batch, "train")

    def shared(self, batch, phase):
        assert isinstance(batch, dict) and self.kind in batch
        wanted = f"{self.kind}_{phase}"
        if self.kind not in batch or wanted not in batch:
            raise KeyError(self.kind)
        for name in self.names:
            if name in batch:
                return self.model(batch[name])
        return self.model(batch[self.kind])


def train(model, optimizer, train_loader, device):
    for values, targets in train_loader:
        values = values.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        if 3 in targets:  #! TRN203
            continue
        outputs = model(values)
        if model.level in outputs:
            continue
        loss = F.cross_entropy(outputs, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
