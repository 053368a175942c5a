"""Models that fit, or of which the file does not tell the size."""

import torch
from torch.nn.parallel import DistributedDataParallel as DDP
from transformers import AutoModelForCausalLM, GPT2Config, GPT2LMHeadModel


def train(model, loader, rank):
    model = DDP(model, device_ids=[rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    for batch in loader:
        loss = model(**batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def small_by_name(rank):
    return DDP(AutoModelForCausalLM.from_pretrained("facebook/opt-1.3b").to(rank), device_ids=[rank])


def small_by_configuration(rank):
    return DDP(GPT2LMHeadModel(GPT2Config(n_embd=1024, n_layer=24)).to(rank), device_ids=[rank])


def unknown_name(arguments, rank):
    return DDP(AutoModelForCausalLM.from_pretrained(arguments.model).to(rank), device_ids=[rank])
