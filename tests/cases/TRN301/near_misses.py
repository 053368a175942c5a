"""Flushes with a reason, and things that only share the name."""

import torch

from page_cache import PageCache

torch.cuda.empty_cache()


def train(model, optimizer, train_loader, val_loader, args, device, logger):
    pages = PageCache()
    torch.cuda.empty_cache()
    logger.update_params({"batch_size": args.batch_size})
    for epoch in range(args.epochs):
        for step, images in enumerate(train_loader):
            try:
                loss = model(images.to(device, non_blocking=True)).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            except torch.cuda.OutOfMemoryError:
                torch.cuda.empty_cache()
                continue
            pages.empty_cache()
            if args.flush:
                torch.cuda.empty_cache()
            if step % 1000 == 0:
                torch.cuda.empty_cache()
        torch.cuda.empty_cache()
        validate(model, val_loader, device)
        torch.cuda.empty_cache()
    torch.cuda.empty_cache()


@torch.no_grad()
def validate(model, val_loader, device):
    for images in val_loader:
        model(images.to(device, non_blocking=True))
    torch.cuda.empty_cache()


def quantise(layers, calibration, device):
    for layer in layers:
        layer.to(device)
        for sample in calibration:
            layer.observe(sample)
        layer.quantise()
        layer.cpu()
        torch.cuda.empty_cache()


def search(optimizer, generations, model, train_loader, val_loader, args, device, logger):
    for _ in range(generations):
        train(model, optimizer, train_loader, val_loader, args, device, logger)


def train_carefully(model, loader, optimizer):
    for batch in loader:
        with suppress(torch.cuda.OutOfMemoryError):
            model(batch).sum().backward()
        torch.cuda.empty_cache()
        optimizer.step()
