"""Training on all GPUs from one process."""

import torch
from torch import nn
from torch.nn import parallel


def train(model, criterion, optimizer, loader):
    if torch.cuda.device_count() > 1:
        model = nn.DataParallel(model)  #! TRN507
    model = model.cuda()
    for images, labels in loader:
        loss = criterion(model(images), labels.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Base:
    def model_to_device(self, net):
        return parallel.DataParallel(net.cuda())  #! TRN507

    def model_to_rank(self, net):
        return parallel.DistributedDataParallel(net.cuda())
