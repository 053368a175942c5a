"""Gradients that are zeroed, in the ways people write it."""

import argparse


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--release_grads", action="store_true")
    return parser.parse_args()


def train(model, criterion, optimizer, loader):
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets)
        model.zero_grad(False)  #! TRN306
        loss.backward()
        optimizer.step()


def clear(parameters):
    for parameter in parameters:
        if parameter.grad is not None:
            parameter.grad.detach_()
            parameter.grad.zero_()  #! TRN306


def adapt(model, criterion, optimizer, loader):
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets)
        loss.backward()
        optimizer.step()
        for _, weight in model.named_parameters():
            if weight.requires_grad and weight.grad is not None:
                weight.grad.data.fill_(0)  #! TRN306


def main(model, criterion, optimizer, loader):
    args = parse()
    finetune(args, model, criterion, optimizer, loader)
    for inputs, targets in loader:
        loss = criterion(model(inputs), targets)
        clear(model.parameters())
        loss.backward()
        optimizer.step()
