"""Types of the host, the new functions, and what only looks like it."""

import torch


def precise(double):
    torch.set_default_tensor_type(torch.DoubleTensor)
    torch.set_default_tensor_type("torch.FloatTensor")
    torch.set_default_dtype(torch.float64 if double else torch.float32)


def device(name, backend):
    if hasattr(torch, "set_default_device"):
        torch.set_default_device(name)
    else:
        torch.set_default_tensor_type("torch.cuda.FloatTensor")
    backend.set_default_tensor_type("torch.cuda.FloatTensor")


def cast(x):
    return x.type(torch.cuda.FloatTensor), x.type("torch.cuda.FloatTensor")
