"""Whole models copied in each step."""

import copy
from copy import deepcopy

import torch
from torch.nn.functional import mse_loss


def train(model, criterion, optimizer, loader):
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        before = copy.deepcopy(model.state_dict())  #! TRN312
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return before


class Distiller:
    def __init__(self, student: torch.nn.Module, optimizer):
        self.student = student
        self.optimizer = optimizer

    def step(self, inputs):
        teacher = deepcopy(self.student)  #! TRN312
        with torch.no_grad():
            wanted = teacher(inputs)
        loss = mse_loss(self.student(inputs), wanted)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def fit(student, optimizer, loader):
    distiller = Distiller(student, optimizer)
    for inputs in loader:
        distiller.step(inputs.cuda(non_blocking=True))
