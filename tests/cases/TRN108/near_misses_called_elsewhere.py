"""A loop that nothing in sight calls: whoever does may tell the sampler the epoch."""

from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


def called_by_whom_we_do_not_see(model, optimizer, dataset: Dataset, epochs, callbacks):
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, 8, sampler=sampler, num_workers=2, persistent_workers=True)
    callbacks.start(sampler)
    for epoch in range(epochs):
        callbacks.begin(epoch)
        for batch in loader:
            loss = model(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
