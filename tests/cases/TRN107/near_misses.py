"""Each process reads its own part, or makes its own."""

import torch
import torch.distributed as dist
from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset


def train(model, optimizer, loader):
    for batch in loader:
        loss = model(batch.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def split_beforehand(model, optimizer):
    rows = split_dataset_by_node(load_dataset("wikitext"), dist.get_rank(), dist.get_world_size())
    loader = DataLoader(rows, 8, shuffle=True, num_workers=2, pin_memory=True)
    train(DDP(model), optimizer, loader)


def parts_by_rank(model, optimizer, data, rank, world_size):
    indices = data.train_indices.split(len(data.train_indices) // world_size)[rank]
    loader = DataLoader(indices, 1024, shuffle=True, pin_memory=True)
    train(DDP(model), optimizer, loader)


def files_of_its_own(model, optimizer, rank):
    rows = load_dataset("json", data_files=f"part-{rank}.json")
    loader = DataLoader(rows, 8, shuffle=True, num_workers=2, pin_memory=True)
    train(DDP(model), optimizer, loader)


def random_loader(count):
    rows = TensorDataset(torch.randn(count, 16), torch.zeros(count))
    return DataLoader(rows, 8, pin_memory=True)


def drawn_in_each_process(model, optimizer):
    train(DDP(model), optimizer, random_loader(4096))


def given_by_whom_we_do_not_see(model, optimizer, dataset):
    loader = DataLoader(dataset, 8, shuffle=True, num_workers=2, pin_memory=True)
    train(DDP(model), optimizer, loader)


if __name__ == "__main__":
    split_beforehand(*prepared())
    parts_by_rank(*prepared())
    files_of_its_own(*prepared())
    drawn_in_each_process(*prepared())
    given_by_whom_we_do_not_see(*prepared())
