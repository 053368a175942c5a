"""Loaders that pin, may pin, or have nothing to pin."""

from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def resident(features, labels, optimizer):
    """All of it is on the device before training starts."""
    model = nn.Linear(64, 2).cuda()
    features, labels = features.cuda(), labels.cuda()
    loader = DataLoader(TensorDataset(features, labels), batch_size=512, shuffle=True)
    for inputs, targets in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), targets).backward()
        optimizer.step()


def picture(dataset, model):
    """Drawn from once, at the end."""
    loader = DataLoader(dataset, batch_size=4, num_workers=2)
    return model(next(iter(loader)).cuda(non_blocking=True))


def one_item_at_a_time(model, optimizer, dataset):
    """A single row of token numbers is copied in no time."""
    for tokens in DataLoader(dataset, batch_size=1, num_workers=4, shuffle=True):
        loss = model(tokens.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def pinned_where_workers_load(model, optimizer, dataset, workers):
    """Without workers the training process would pin them itself."""
    if workers > 0:
        loader = DataLoader(dataset, batch_size=64, num_workers=workers, pin_memory=True)
    else:
        loader = DataLoader(dataset, batch_size=64, num_workers=workers)
    for images in loader:
        optimizer.zero_grad()
        model(images.cuda(non_blocking=True)).sum().backward()
        optimizer.step()
