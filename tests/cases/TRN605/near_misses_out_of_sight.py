"""Loops whose gradients someone else clears."""

import deepspeed
import torch
from lightning.fabric import Fabric

from engines import clip_and_tidy, make_trainer


def with_deepspeed(model, criterion, config, train_loader):
    engine, _, _, _ = deepspeed.initialize(model=model, config=config)
    for inputs, targets in train_loader:
        loss = criterion(engine(inputs), targets)
        engine.backward(loss)
        engine.step()


def given_the_optimizer(model, criterion, optimizer, train_loader):
    for inputs, targets in train_loader:
        criterion(model(inputs), targets).backward()
        optimizer.step()
        clip_and_tidy(model, optimizer)


def own_trainer(model, criterion, optimizer, train_loader):
    trainer = make_trainer(model)
    for inputs, targets in train_loader:
        trainer.before(inputs)
        criterion(model(inputs), targets).backward()
        optimizer.step()


def follows_gradients(model, inputs, optimizer):
    for _ in range(20):
        (gradient,) = torch.autograd.grad(model(inputs).sum(), inputs)
        inputs = inputs - 0.1 * gradient
    optimizer.step()


def one_step(model, criterion, optimizer, inputs, targets):
    criterion(model(inputs), targets).backward()
    optimizer.step()


def with_fabric(model, optimizer, train_loader):
    fabric = Fabric()
    model, optimizer = fabric.setup(model, optimizer)
    for inputs, targets in train_loader:
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        fabric.backward(loss)
        optimizer.step()
