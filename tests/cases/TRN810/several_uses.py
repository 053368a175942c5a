"""Several uses, under another name, and with `volatile`."""

import torch
from torch.autograd import Variable as V


def load(path):
    samples = torch.load(path, map_location="cpu", weights_only=True)
    samples = V(samples, requires_grad=False)  #! TRN810
    return V(samples / 2)


def show(model, images):
    return model(V(images, volatile=True))  #! TRN810


if __name__ == "__main__":
    show(torch.nn.Linear(2, 2), load("samples.pt"))
