"""The new names, other libraries' functions, and modules of one's own."""

import numpy as np
import scipy.linalg
import torch
from numpy.linalg import matrix_rank, solve


class Solver:
    def symeig(self, matrix):
        return torch.linalg.eigh(matrix, UPLO="U")

    def norm(self, x):
        return torch.linalg.vector_norm(x) + x.norm(p=2, dim=-1).mean()


def lstsq(a, b):
    return torch.linalg.lstsq(a, b).solution


def host(a, b):
    rank = matrix_rank(a)
    return solve(a, b), np.linalg.lstsq(a, b), scipy.linalg.cholesky(a), rank


def eigenvalues(matrix):
    if hasattr(torch, "linalg"):
        return torch.linalg.eigvalsh(matrix)
    return torch.symeig(matrix)[0]


def clip(parameters, limit):
    total = torch.norm(torch.stack([torch.norm(p.grad) for p in parameters]))
    return (limit / (total + 1e-6)).clamp(max=1.0)
