"""Loaders whose workers come and go with each pass."""

import torch
from torch.utils.data import DataLoader


def in_plain_sight(model, criterion, optimizer, dataset, args):
    loader = DataLoader(dataset, batch_size=32, shuffle=True, num_workers=args.workers, pin_memory=True)  #! TRN103
    for epoch in range(args.epochs):
        for inputs, targets in loader:
            loss = criterion(model(inputs.cuda(non_blocking=True)), targets.cuda(non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()


def asking_the_dataset(model, criterion, optimizer, dataset, args):
    loader = DataLoader(dataset, batch_size=32, shuffle=True, num_workers=4, pin_memory=True)  #! TRN103
    for _ in range(args.epochs):
        for inputs, targets in loader:
            scores = model(inputs.cuda(non_blocking=True))
            loss = criterion(scores, targets.cuda(non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        colors = loader.dataset.decode_target(scores.argmax(1).cpu())
        args.log(colors, dataset.class_names(), loader.dataset.classes)


def load_forever(dataset, batch_size, ordered):
    if ordered:
        loader = DataLoader(dataset, batch_size, shuffle=False, num_workers=2, pin_memory=True)  #! TRN103
    else:
        loader = DataLoader(dataset, batch_size, shuffle=True, num_workers=2, pin_memory=True)  #! TRN103
    while True:
        yield from loader


def with_pictures_now_and_then(model, optimizer, dataset, held_out, show):
    options = {"num_workers": 4, "pin_memory": True} if torch.cuda.is_available() else {}
    loader = DataLoader(dataset, 8, shuffle=True, **options)  #! TRN103
    samples = DataLoader(held_out, 5, shuffle=True, num_workers=1, pin_memory=True)
    step = 0
    for epoch in range(50):
        for images in loader:
            loss = model(images.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step % 500 == 0:
                show(model, next(iter(samples)))
