"""A choice that is made, and loaders of other things."""

import functools
import json
import pickle

import joblib
import numpy as np
import torch
import yaml


def read(path, options):
    weights = torch.load(path, map_location="cpu", weights_only=True)
    trusted = torch.load(path, weights_only=False)
    other = torch.load(path, "cpu", pickle)
    unpacked = torch.load(path, **options)
    return weights, trusted, other, unpacked


def files(path):
    with open(path) as file:
        settings = yaml.load(file, Loader=yaml.SafeLoader)
        table = json.load(file)
    return settings, table, np.load(path), joblib.load(path), torch.jit.load(path), torch.hub.load("a/b", "c")


class Store:
    def load(self, path):
        return self.reader.load(path)


safe_load = functools.partial(torch.load, weights_only=True)
