"""Eight times all cores."""

import multiprocessing
import os

from torch.distributed.fsdp import FullyShardedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def make_loader(dataset, batch_size):
    workers = multiprocessing.cpu_count()
    sampler = DistributedSampler(dataset)
    return DataLoader(dataset, batch_size, sampler=sampler, num_workers=workers, pin_memory=True)  #! TRN105


def train(model, optimizer, dataset):
    model = FullyShardedDataParallel(model)
    for batch in make_loader(dataset, 8):
        loss = model(batch.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def evaluate(model, dataset):
    options = {"num_workers": os.cpu_count() or 1, "pin_memory": True}
    return sum(model(batch.cuda(non_blocking=True)) for batch in DataLoader(dataset, 8, **options))  #! TRN105


def main(model, optimizer, dataset, held_out):
    train(model, optimizer, dataset)
    evaluate(model, held_out)
