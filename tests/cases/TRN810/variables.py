"""Training code from before tensors and variables were merged."""

import torch
from torch.autograd import Variable
from torch import autograd


class Decoder(torch.nn.Module):
    def start(self, memory):
        self.hidden = Variable(memory.data.new(memory.size(0), 8).zero_())  #! TRN810
        self.cell = autograd.Variable(
            memory.data.new(memory.size(0), 8).zero_(), requires_grad=False
        )


def evaluate(model, loader):
    for images in loader:
        yield model(Variable(images, volatile=True))  #! TRN303 TRN810


wrap = [Variable(torch.ones(1)) for _ in range(3)]
also = list(map(Variable, wrap))
