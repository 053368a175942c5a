"""The same meters, given numbers, now and then, after the loop, or in evaluation."""

import torch


class Meters:
    def __init__(self):
        self.sums = {}

    def update(self, **values):
        for name, value in values.items():
            if isinstance(value, torch.Tensor):
                value = value.item()
            self.sums[name] = self.sums.get(name, 0.0) + value


class Seldom:
    def __init__(self, every):
        self.every = every
        self.step = 0

    def update(self, value):
        self.step += 1
        if self.step % self.every == 0:
            if isinstance(value, torch.Tensor):
                value = value.item()
            print(value)


def train(model, criterion, optimizer, loader, batches):
    meters = Meters()
    seldom = Seldom(50)
    total = torch.zeros((), device="cuda")
    for step, (inputs, targets) in enumerate(loader):
        inputs = inputs.to("cuda", non_blocking=True)
        targets = targets.to("cuda", non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
        meters.update(lr=optimizer.param_groups[0]["lr"], samples=inputs.shape[0])
        seldom.update(loss)
        if step % 100 == 0:
            meters.update(loss=loss)
    meters.update(total=total)


def train_with_mosaics(model, optimizer, train_loader, epoch, args, device):
    meters = Meters()
    for i, images in enumerate(train_loader):
        done = i + len(train_loader) * epoch
        images = images.to(device, non_blocking=True)
        loss = model(images).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if args.plots:
            if done < 3:
                meters.update(loss=loss)
