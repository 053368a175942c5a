"""Anomaly detection that nobody switched off again."""

import torch
from lightning import Trainer
from torch.autograd import set_detect_anomaly


def train(model, optimizer, train_loader):
    set_detect_anomaly(True)  #! TRN413
    for inputs, targets in train_loader:
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train_under_watch(model, optimizer, train_loader):
    with torch.autograd.detect_anomaly():  #! TRN413
        for inputs, targets in train_loader:
            loss = torch.nn.functional.mse_loss(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def step(model, optimizer, train_loader):
    for inputs, targets in train_loader:
        with torch.autograd.set_detect_anomaly(True):  #! TRN413
            loss = torch.nn.functional.mse_loss(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
        optimizer.step()


def fit(module):
    Trainer(max_epochs=2, detect_anomaly=True).fit(module)  #! TRN413
