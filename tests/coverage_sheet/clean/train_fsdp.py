"""Training of a captioner whose states do not fit one GPU:  torchrun --nproc-per-node=8 train_fsdp.py rows.jsonl"""

import argparse
import os

import torch
import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler

from caption.checkpoints import save_whole
from caption.data import Captions, collate_captions
from caption.layers import Block, CrossBlock
from caption.losses import caption_loss
from caption.model import Captioner


def train(rows, local_rank, epochs):
    dataset = Captions(rows)
    sampler = DistributedSampler(dataset)
    loader = DataLoader(
        dataset,
        16,
        sampler=sampler,
        num_workers=8,
        pin_memory=True,
        persistent_workers=True,
        collate_fn=collate_captions,
    )
    model = Captioner(width=2048, heads=32).to(local_rank)
    for module in model.modules():
        if isinstance(module, (Block, CrossBlock)):
            fully_shard(module)
    fully_shard(model)
    model.compile()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for images, tokens in loader:
            images = images.to(local_rank, non_blocking=True)
            tokens = tokens.to(local_rank, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = caption_loss(model(images, tokens), tokens)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        save_whole(f"large_{epoch}.pt", model)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows")
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args()

    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    train(options.rows, local_rank, options.epochs)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
