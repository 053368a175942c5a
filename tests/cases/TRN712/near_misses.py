"""One-hot vectors in other products, and no products."""

import torch
import torch.nn.functional as F


def sums_by_class(labels, features, classes):
    members = F.one_hot(labels, classes).float()
    return members.t() @ features


def smoothed(labels, table, classes):
    targets = F.one_hot(labels, classes).float() * 0.9 + 0.1 / classes
    return targets @ table


def one_of_two_tables(ids, tables):
    chosen = F.one_hot(ids, tables.shape[1])
    chosen = chosen.permute(0, 2, 1, 3).to(tables)
    return chosen @ tables


def dice(scores, labels, classes):
    targets = F.one_hot(labels, classes).permute(0, 3, 1, 2).float()
    return (scores * targets).sum() / (scores + targets).sum()


def confusion(predicted, labels, classes):
    return F.one_hot(labels, classes).float().t() @ F.one_hot(predicted, classes).float()


def agreement(predicted, labels, classes):
    one_hot_labels = F.one_hot(labels, classes).float()
    return F.one_hot(predicted, classes).float() @ one_hot_labels.t()


def on_the_right(mixing, ids, classes):
    return mixing @ F.one_hot(ids, classes).float()


def soft(scores, table, hard):
    chosen = torch.zeros_like(scores).scatter_(1, scores.argmax(1, keepdim=True), 1.0)
    chosen = chosen - scores.detach() + scores if hard else scores
    return chosen @ table


def several(ids, table):
    wanted = torch.zeros(ids.shape[0], table.shape[0])
    wanted.scatter_(1, ids, 1)
    return wanted @ table
