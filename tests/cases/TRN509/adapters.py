"""A large model of which little is trained."""

import torch
from peft import LoraConfig, get_peft_model
from torch.nn.parallel import DistributedDataParallel as DDP
from transformers import AutoModelForCausalLM


def finetune(loader, rank):
    base = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-2-7b-hf")
    get_peft_model(base, LoraConfig(r=8))
    model = DDP(base.to(rank), device_ids=[rank])
    optimizer = torch.optim.AdamW([each for each in model.parameters() if each.requires_grad], lr=1e-4)
    for batch in loader:
        loss = model(**batch).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
