"""Uses of the inner module that bypass nothing."""

import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def evaluated(network, criterion, optimizer, loader, val_loader, rank):
    model = DDP(network, device_ids=[rank])
    for images, labels in loader:
        loss = criterion(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        for images, _ in val_loader:
            output = model.module(images)
            print(output.shape)


def through_the_wrapper_first(network, criterion, optimizer, loader, rank):
    model = DDP(network, device_ids=[rank])
    for images, labels in loader:
        features = model(images)
        auxiliary = model.module(images.flip(0))
        loss = criterion(features, labels) + auxiliary.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def copy_of_the_weights(network, ema, criterion, optimizer, loader, rank):
    model = DDP(network, device_ids=[rank])
    for images, _ in loader:
        with torch.no_grad():
            targets = ema.module(images)
        loss = criterion(model(images), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def loss_of_the_module(network, optimizer, loader, rank):
    model = DDP(network, device_ids=[rank])
    for images, labels in loader:
        loss = model.module.compute_loss(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def maybe_alone(network, criterion, optimizer, loader, rank, distributed):
    model = DDP(network, device_ids=[rank]) if distributed else network
    bare = model.module if distributed else model
    for images, labels in loader:
        loss = criterion(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        bare.update_statistics()


def features_of_a_teacher(network, student, criterion, optimizer, loader, rank):
    teacher = DDP(network, device_ids=[rank])
    for images, _ in loader:
        with torch.no_grad():
            targets = teacher.module(images)
        loss = criterion(student(images), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def features_to_look_at(network, student, criterion, optimizer, loader, rank):
    other = DDP(network, device_ids=[rank])
    for images, labels in loader:
        features = other.module(images)
        print(features.shape)
        loss = criterion(student(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Wrapper(torch.nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, images):
        return self.module(images)
