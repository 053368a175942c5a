"""Whole language models in every process."""

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

MODEL = "meta-llama/Llama-2-7b-hf"


def build(device):
    model = AutoModelForCausalLM.from_pretrained(MODEL)
    model.gradient_checkpointing_enable()
    return model.to(device)


def finetune(loader, rank):
    model = DDP(build(rank), device_ids=[rank])  #! TRN509
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    for batch in loader:
        loss = model(**batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def pretrain(loader, rank):
    config = LlamaConfig(
        hidden_size=5120, intermediate_size=13824, num_hidden_layers=40, num_attention_heads=40, max_position_embeddings=4096
    )
    model = LlamaForCausalLM(config).to(rank)
    model = nn.parallel.DistributedDataParallel(model, device_ids=[rank])  #! TRN509
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    for batch in loader:
        loss = model(**batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Trainer:
    def __init__(self, rank):
        model = AutoModelForCausalLM.from_pretrained("tiiuae/falcon-40b", torch_dtype=torch.bfloat16).to(rank)
        self.model = DDP(model, device_ids=[rank])  #! TRN509
