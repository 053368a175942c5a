"""Logging where it belongs, a bar that is drawn seldom, and trainers of other kinds."""

import lightning as L
from lightning.pytorch.callbacks import TQDMProgressBar
from transformers import Trainer




def fit(model, data, options):
    bar = TQDMProgressBar(refresh_rate=50)
    L.Trainer(accelerator="gpu", precision="16-mixed", callbacks=[bar], profiler=options.profiler).fit(model, data)
    L.Trainer(accelerator="cpu").fit(model, data)
    L.Trainer(accelerator="gpu", **options.trainer).fit(model, data)


def of_another_house(model, data):
    Trainer(model=model, train_dataset=data).train()
