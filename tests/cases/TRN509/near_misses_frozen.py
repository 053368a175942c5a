"""A large model of which most weights are frozen."""

import torch
from torch.nn.parallel import DistributedDataParallel as DDP
from transformers import AutoModelForCausalLM


def finetune(loader, rank):
    base = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-2-7b-hf")
    base.model.requires_grad_(False)
    model = DDP(base.to(rank), device_ids=[rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for batch in loader:
        loss = model(**batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
