"""Loaders whose workers come and go with each pass."""

import os

import torch
from engine import evaluate, train_one_epoch
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler


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


def handed_to_an_engine(model, criterion, optimizer, train_set, held_out, args):
    sampler = DistributedSampler(train_set)
    batches = BatchSampler(sampler, args.batch_size, drop_last=True)
    train_loader = DataLoader(train_set, batch_sampler=batches, num_workers=args.workers, pin_memory=True)  #! TRN103
    val_loader = DataLoader(held_out, args.batch_size, num_workers=args.workers, pin_memory=True)  #! TRN103
    for epoch in range(args.first_epoch, args.epochs):
        sampler.set_epoch(epoch)
        train_one_epoch(model, criterion, train_loader, optimizer, epoch)
        evaluate(model, criterion, val_loader)


def endlessly(loader):
    while True:
        for batch in loader:
            yield batch


class Trainer:
    def __init__(self, model, optimizer, dataset):
        self.model, self.optimizer = model, optimizer
        loader = DataLoader(dataset, 16, shuffle=True, num_workers=os.cpu_count(), pin_memory=True)  #! TRN103
        self.batches = endlessly(loader)

    def train(self, steps):
        for _ in range(steps):
            loss = self.model(next(self.batches).cuda(non_blocking=True))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


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
