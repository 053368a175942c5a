"""Loaders that pin, may pin, or have nothing to pin."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def mean_and_deviation(dataset):
    """Counted on the host."""
    total, squares, count = 0.0, 0.0, 0
    for images in DataLoader(dataset, batch_size=64, num_workers=4):
        total = total + images.sum()
        squares = squares + (images**2).sum()
        count += images.numel()
    mean = total / count
    return mean, (squares / count - mean**2).sqrt()


def resident(features, labels, optimizer):
    """All of it is on the device before training starts."""
    model = nn.Linear(64, 2).cuda()
    features, labels = features.cuda(), labels.cuda()
    loader = DataLoader(TensorDataset(features, labels), batch_size=512, shuffle=True)
    for inputs, targets in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), targets).backward()
        optimizer.step()


def decided_elsewhere(dataset, args, options, on_cuda):
    flagged = DataLoader(dataset, num_workers=args.workers, pin_memory=args.pin_memory)
    asked = DataLoader(dataset, num_workers=4, pin_memory=torch.cuda.is_available())
    positional = DataLoader(dataset, 8, True, None, None, 4, None, True)
    later = {"num_workers": 4}
    if on_cuda:
        later["pin_memory"] = True
    return flagged, asked, positional, DataLoader(dataset, **later), DataLoader(dataset, **options)


def picture(dataset, model):
    """Drawn from once, at the end."""
    loader = DataLoader(dataset, batch_size=4, num_workers=2)
    return model(next(iter(loader)).cuda(non_blocking=True))


def rows_of_a_graph(graph, train_idx, sampler, model, optimizer):
    """What is loaded are indices; the features come from elsewhere."""
    loader = DataLoader(train_idx, batch_size=1024, shuffle=True)
    for seeds in loader:
        nodes, edges = sampler.sample(seeds)
        edges = [edge.to("cuda:0", non_blocking=True) for edge in edges]
        optimizer.zero_grad()
        model(graph.features[nodes], edges).sum().backward()
        optimizer.step()


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
