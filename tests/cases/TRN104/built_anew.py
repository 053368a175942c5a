"""Loaders whose workers live for one round."""

from torch.utils.data import DataLoader, Subset, WeightedRandomSampler


def train(model, optimizer, dataset, weights, args):
    sampler = WeightedRandomSampler(weights, len(weights))
    for epoch in range(args.epochs):
        loader = DataLoader(  #! TRN104
            dataset, batch_size=args.batch_size, sampler=sampler, num_workers=args.workers, pin_memory=True
        )
        for images in loader:
            loss = model(images.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def validate(model, loader, args):
    total = count(model, loader)
    rest = Subset(loader.dataset, range(len(loader.sampler) * args.ranks, len(loader.dataset)))
    remainder = DataLoader(rest, args.batch_size, num_workers=2, pin_memory=True)  #! TRN104
    return total + count(model, remainder)


def main(model, optimizer, dataset, held_out, args):
    loader = DataLoader(dataset, 8, True, num_workers=2, pin_memory=True, persistent_workers=True)
    test_loader = DataLoader(held_out, 8, num_workers=2, pin_memory=True, persistent_workers=True)
    for epoch in range(args.epochs):
        for images in loader:
            loss = model(images.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        validate(model, test_loader, args)


def count(model, loader):
    return sum(len(batch) for batch in loader)
