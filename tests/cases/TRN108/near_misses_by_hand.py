"""A loop that tells the sampler the epoch by its attribute."""

from torch.utils.data import DataLoader, DistributedSampler


def main(model, criterion, optimizer, dataset, epochs):
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, 64, sampler=sampler, num_workers=8, pin_memory=True, persistent_workers=True)
    for epoch in range(epochs):
        sampler.epoch = epoch
        for images, labels in loader:
            loss = criterion(model(images.cuda(non_blocking=True)), labels.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main(*prepared())
