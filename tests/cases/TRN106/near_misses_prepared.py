"""A loader that a framework shares out."""

from accelerate import Accelerator
from torch.utils.data import DataLoader, IterableDataset


class Lines(IterableDataset):
    def __init__(self, path):
        self.path = path

    def __iter__(self):
        with open(self.path) as file:
            yield from file


accelerator = Accelerator()
loader = accelerator.prepare(DataLoader(Lines("corpus.txt"), batch_size=8, num_workers=4, pin_memory=True))
