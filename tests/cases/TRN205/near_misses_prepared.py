"""Accelerate prepares the loader, whose batches lie on the device."""

from accelerate import Accelerator
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, dataset):
        self.accelerator = Accelerator()
        self.loader = DataLoader(dataset, batch_size=32, num_workers=4, pin_memory=True, persistent_workers=True)
        self.loader = self.accelerator.prepare(self.loader)

    def train(self, model, optimizer):
        for inputs in self.loader:
            inputs = inputs.cuda()
            loss = model(inputs).mean()
            optimizer.zero_grad()
            self.accelerator.backward(loss)
            optimizer.step()
