"""A wrapper's `zero_grad` hands an option of the program on."""


import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--set_to_none", action="store_true")
args = parser.parse_args()


class Wrapper:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def zero_grad(self):
        self.optimizer.zero_grad(set_to_none=args.set_to_none)


def train(model, criterion, optimizer, loader):
    wrapper = Wrapper(optimizer)
    for inputs, targets in loader:
        loss = criterion(model(inputs), targets)
        wrapper.zero_grad()
        loss.backward()
        optimizer.step()
