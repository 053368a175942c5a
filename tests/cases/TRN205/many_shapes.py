"""Batches come as tuples, lists, dicts and single tensors, and all of them are copied while the host waits."""

import torch
import torch.nn.functional as F
from torch.autograd import Variable
from torch.utils.data import DataLoader

FloatTensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor


def classify(model, optimizer, dataset, device):
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4, pin_memory=True)
    for images, labels in loader:
        images = images.to(device=device, dtype=torch.float32)  #! TRN205
        loss = F.cross_entropy(model(images), labels.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def language_model(model, optimizer, train_loader, device):
    for batch in train_loader:
        batch = {name: tensor.to(device) for name, tensor in batch.items()}  #! TRN205
        loss = model(**batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def halves(model, optimizer, train_loader, device):
    batches = iter(train_loader)
    while True:
        inputs, targets = next(batches)
        inputs, targets = inputs.to(device, non_blocking=True), targets.to(device)  #! TRN205
        loss = F.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def by_type(generator, critic, optimizer, dataset):
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4, pin_memory=True)
    for pictures, _ in loader:
        real = Variable(pictures.type(FloatTensor))  #! TRN205
        loss = critic(generator(real)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def validate(model, val_loader, device):
    correct = torch.zeros((), device=device)
    for images, labels in val_loader:
        predictions = model(images.to(device)).argmax(1)  # only possible: it runs in an evaluation
        correct += (predictions == labels.to(device)).sum()
    return correct


def joined_here(model, criterion, optimizer, train_loader, device):
    """The loop joins what the loader pinned: that lies in pageable memory whatever is asked for."""
    for left, right, targets in train_loader:
        pairs = torch.cat([left, right], dim=0)
        pairs = pairs.to(device)  #! TRN205
        loss = criterion(model(pairs), targets.to(device, non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
