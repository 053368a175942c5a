"""The order of today, and methods of other things that are called so."""

import re

import torch


def step(p, grad, mean, square, lr, options):
    mean.mul_(0.9).add_(grad, alpha=0.1)
    square.addcmul_(grad, grad, value=0.01)
    p.data.addcdiv_(mean, square, value=-lr)
    p.data.add_(grad)
    p.data.add_(0.1)
    p.data.add_(*options)
    return torch.add(p, grad, alpha=2), torch.sub(p, grad)


def log(writer, meters, names, loss):
    writer.add("loss", loss)
    meters.add(loss, 5)
    names.add(loss)
    return meters.sub("a", "b")


def compatible(p, grad, lr):
    if torch.__version__ < "1.5":
        p.data.add_(-lr, grad)
    else:
        p.data.add_(grad, alpha=-lr)


class Ledger:
    def add_(self, amount, account):
        self.entries.append((amount, account))


def book(ledger, account):
    ledger.add_(2, account)


INPUTS = re.compile("x+")


def rewritten(replace, source):
    return INPUTS.sub(replace, source)
