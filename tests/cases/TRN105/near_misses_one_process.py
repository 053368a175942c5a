"""One process may have all cores."""

import os

from torch.utils.data import DataLoader


def train(model, optimizer, dataset):
    loader = DataLoader(dataset, 8, shuffle=True, num_workers=os.cpu_count(), pin_memory=True)
    for batch in loader:
        loss = model(batch.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
