"""The classifier once more, with Lightning:  python finetune_lightning.py pictures"""

import sys

import lightning as L
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder

from caption.data import picture_transform
from caption.model import PictureClassifier


class Classifier(L.LightningModule):
    def __init__(self, classes):
        super().__init__()
        self.model = PictureClassifier(classes)

    def training_step(self, batch, batch_idx):
        images, labels = batch
        loss = F.cross_entropy(self.model(images), labels)
        self.log("loss", loss, sync_dist=True)  #! TRN522
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-4, fused=True)


def main(path):
    pictures = ImageFolder(path, transform=picture_transform(224))
    loader = DataLoader(pictures, 64, shuffle=True)  #! TRN101 TRN102
    trainer = L.Trainer(max_epochs=10, accelerator="gpu", devices=-1, precision="bf16-mixed")
    trainer.fit(Classifier(len(pictures.classes)), loader)


if __name__ == "__main__":
    main(sys.argv[1])
