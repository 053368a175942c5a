"""A checkpoint of 13 billion parameters under DDP, by its name; one of 7 billion that still fits is not shown."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from transformers import AutoModelForCausalLM

CHECKPOINT = "meta-llama/Llama-2-13b-hf"


def main(loader):
    dist.init_process_group("nccl")
    rank = int(os.environ["LOCAL_RANK"])
    model = AutoModelForCausalLM.from_pretrained(CHECKPOINT, torch_dtype=torch.bfloat16)
    model.to(rank)
    wrapped = DistributedDataParallel(model, device_ids=[rank])  #! TRN509
    optimizer = torch.optim.AdamW(wrapped.parameters(), lr=1e-5)
    for batch in loader:
        loss = wrapped(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    dist.destroy_process_group()


def in_a_helper(rank):
    return AutoModelForCausalLM.from_pretrained("lmsys/vicuna-13b-v1.5").to(rank)


def with_helper(loader, rank):
    model = in_a_helper(rank)
    model = torch.nn.parallel.DistributedDataParallel(model)  #! TRN509
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)
    for batch in loader:
        model(**batch).loss.backward()
        optimizer.step()


def half_of_seven(loader, rank):
    model = AutoModelForCausalLM.from_pretrained("mistralai/Mistral-7B-v0.1", torch_dtype=torch.bfloat16)
    model = DistributedDataParallel(model.to(rank))
    for batch in loader:
        model(**batch).loss.backward()


if __name__ == "__main__":
    main([])
    with_helper([], 0)
    half_of_seven([], 0)
