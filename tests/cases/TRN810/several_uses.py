"""Uses in code that runs and in code that nobody calls, under another name, and with `volatile`."""

import torch
from torch.autograd import Variable as V


def _forgotten(x):
    return V(x)


def load(path):
    samples = torch.load(path, map_location="cpu", weights_only=True)
    samples = V(samples, requires_grad=False)  #! TRN810
    return V(samples / 2)


def show(model, images):
    return model(V(images, volatile=True))  #! TRN810


if __name__ == "__main__":
    show(torch.nn.Linear(2, 2), load("samples.pt"))
