"""DDP and FSDP over loaders that know of no rank."""

import os

import torch
import torch.distributed as dist
from datasets import load_dataset
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset


class Sentences(Dataset):
    def __init__(self, rows, tokenizer):
        self.rows, self.tokenizer = rows, tokenizer

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.tokenizer(self.rows[index]["text"])


def make_loader(tokenizer, batch_size):
    rows = load_dataset("wikitext", split="train").filter(lambda row: row["text"])
    return DataLoader(Sentences(rows, tokenizer), batch_size, shuffle=True, num_workers=4, pin_memory=True)  #! TRN107


def pretrain(model, optimizer, tokenizer):
    dist.init_process_group("nccl")
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    model = DDP(model.cuda(), device_ids=[local_rank])
    loader = make_loader(tokenizer, 32)
    for batch in loader:
        loss = model(batch.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if dist.get_rank() == 0:
            print("step")
    dist.destroy_process_group()


def sharded(model, optimizer, path):
    dist.init_process_group("nccl")
    model = FSDP(model)
    data = torch.utils.data.Subset(Sentences(load_dataset(path), None), range(1000))
    loader = DataLoader(data, 8, sampler=None, num_workers=2, pin_memory=True)  #! TRN107
    for batch in loader:
        loss = model(batch.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    pretrain(*prepared())
    sharded(*prepared())
