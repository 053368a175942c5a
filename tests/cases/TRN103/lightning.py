"""Lightning goes through the loaders that it is given anew in each epoch."""

import os

import lightning as L
import pytorch_lightning as pl
from torch.utils.data import DataLoader


class Digits(pl.LightningDataModule):
    def __init__(self, dataset, workers=4):
        super().__init__()
        self.dataset = dataset
        self.workers = workers

    def train_dataloader(self):
        return DataLoader(self.dataset, batch_size=32, num_workers=self.workers, shuffle=True)  #! TRN102 TRN103

    def test_dataloader(self):
        return DataLoader(self.dataset, batch_size=32, num_workers=self.workers)  # tests run once


class Bound(L.LightningDataModule):
    """The hook is a method of another name."""

    def __init__(self, dataset, workers=None):
        super().__init__()
        self.dataset = dataset
        self.workers = workers if workers is not None else 8
        self.train_dataloader = self._loader

    def _loader(self):
        loader = DataLoader(self.dataset, batch_size=8, num_workers=self.workers)  #! TRN103
        return loader


class Derived(Digits):
    def val_dataloader(self):
        return self._made(self.dataset)

    def _made(self, dataset):
        return DataLoader(dataset, batch_size=64, num_workers=2)  #! TRN102 TRN103


class Plain:
    """No class of Lightning."""

    def train_dataloader(self):
        return DataLoader(range(10), batch_size=32, num_workers=4)


def main(dataset, learner):
    train_loader = DataLoader(dataset, batch_size=32, num_workers=os.cpu_count(), shuffle=True)  #! TRN102 TRN103
    trainer = pl.Trainer(max_epochs=100)
    trainer.fit(learner, train_loader)


def by_keyword(dataset, learner, epochs):
    loader = DataLoader(dataset, batch_size=32, num_workers=8)  #! TRN103
    L.Trainer(max_epochs=epochs).fit(learner, train_dataloaders=loader)


def one_epoch(dataset, learner):
    loader = DataLoader(dataset, batch_size=32, num_workers=8)
    trainer = L.Trainer(max_epochs=1)
    trainer.fit(learner, loader)


def of_another(dataset, learner, estimator):
    loader = DataLoader(dataset, batch_size=32, num_workers=8)
    estimator.fit(learner, loader)
