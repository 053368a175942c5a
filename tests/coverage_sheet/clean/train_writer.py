"""Fine-tuning of a model that rewrites captions:  torchrun --nproc-per-node=8 train_writer.py captions.jsonl"""

import os
import sys

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler
from transformers import AutoModelForCausalLM, DataCollatorForLanguageModeling

from caption.checkpoints import save_whole
from caption.data import read_rows, tokenizer

NAME = "mistralai/Mistral-7B-v0.1"


def main(path):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rows = [tokenizer(row["caption"], truncation=True, max_length=256) for row in read_rows(path)]
    sampler = DistributedSampler(rows)
    collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)
    loader = DataLoader(rows, 4, sampler=sampler, num_workers=2, pin_memory=True, collate_fn=collator)
    model = AutoModelForCausalLM.from_pretrained(NAME, torch_dtype=torch.bfloat16).to(local_rank)
    for layer in model.model.layers:
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)
    for tokens in loader:
        words = tokens["input_ids"].to(local_rank, non_blocking=True)
        labels = tokens["labels"].to(local_rank, non_blocking=True)
        loss = model(words, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    save_whole("writer.pt", model)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])
