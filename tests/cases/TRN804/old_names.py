"""Linear algebra as it was written for PyTorch 1.7."""

import torch
from torch import chain_matmul
from torch import symeig as eigen  #! TRN804


def pca(x, count):
    covariance = x.t() @ x / x.shape[0]
    _, vectors = eigen(covariance, eigenvectors=True)
    return x @ vectors[:, -count:]


def posterior(kernel, targets):
    factor = torch.cholesky(kernel, upper=False)  #! TRN804
    weights, _ = torch.triangular_solve(targets, factor, upper=False)  #! TRN804
    return chain_matmul(factor, factor.t(), weights)  #! TRN804


def grid(size):
    steps = torch.range(0, size - 1)  #! TRN804
    return torch.ger(steps, steps)  # PyTorch warns of it no more than of svd
