"""A loop that a framework drives, over a loader that it did not prepare."""

from accelerate import Accelerator
from torch.utils.data import DataLoader, DistributedSampler


def main(model, criterion, optimizer, dataset, epochs):
    accelerator = Accelerator()
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, 64, sampler=sampler, num_workers=8, pin_memory=True, persistent_workers=True)
    for epoch in range(epochs):
        for images, labels in loader:
            loss = criterion(model(images.cuda(non_blocking=True)), labels.cuda(non_blocking=True))
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
        print(epoch)


if __name__ == "__main__":
    main(*prepared())
