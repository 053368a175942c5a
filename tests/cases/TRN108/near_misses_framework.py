"""A framework tells its samplers the epoch."""

from accelerate import Accelerator
from torch.utils.data import DataLoader, DistributedSampler


def main(model, optimizer, dataset, epochs):
    accelerator = Accelerator()
    sampler = DistributedSampler(dataset)
    loader = accelerator.prepare(DataLoader(dataset, 8, sampler=sampler, num_workers=2, persistent_workers=True, pin_memory=True))
    for epoch in range(epochs):
        for batch in loader:
            loss = model(batch)
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()


main(*prepared())
