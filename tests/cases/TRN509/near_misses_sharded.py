"""A large model that another path shards."""

import torch
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel as DDP
from transformers import AutoModelForCausalLM


def train(loader, rank, shards):
    model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-2-7b-hf").to(rank)
    model = fully_shard(model) if shards else DDP(model, device_ids=[rank])  #! TRN513
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for batch in loader:
        loss = model(**batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
