"""Fine-tuning of the captioner on all GPUs:  torchrun --nproc-per-node=gpu train_captioner.py rows.jsonl"""

import argparse
import gc
import os

import numpy as np
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader, DistributedSampler

from caption.data import Captions
from caption.losses import caption_loss
from caption.metrics import gradient_norm
from caption.model import Captioner

ACCUMULATE = 8


def wrapped(network, local_rank):
    return DistributedDataParallel(
        network, device_ids=[local_rank], bucket_cap_mb=1, broadcast_buffers=False, gradient_as_bucket_view=True
    )


def train(model, dataset, device, epochs, log):
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, 64, sampler=sampler, num_workers=8, pin_memory=True, persistent_workers=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)
    schedule = CosineAnnealingLR(optimizer, T_max=len(loader))
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for step, (images, tokens) in enumerate(loader):
            images = images.to(device, non_blocking=True)
            tokens = tokens.to(device, non_blocking=True)
            weights = torch.from_numpy(np.linspace(1.0, 0.5, len(images))).pin_memory().cuda(non_blocking=True)
            share = torch.tensor(0.9, device=device)  #! TRN208
            is_last = (step + 1) % ACCUMULATE == 0
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = caption_loss(model(images, tokens), tokens, weights) * share  #! TRN705
                loss += loss / ACCUMULATE  #! TRN308
                if is_last:
                    loss.backward()  #! TRN405
                else:
                    with model.no_sync():
                        loss.backward()  #! TRN405
            log(gradient_norm(model))
            if is_last:
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
            counts = [None] * dist.get_world_size()
            dist.all_gather_object(counts, len(images))  #! TRN502
            log(sum(counts))
            gc.collect()  #! TRN302
            if step % 20 == 0:
                torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "last.pt")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows")
    parser.add_argument("--epochs", type=int, default=5)
    options = parser.parse_args()

    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    model = wrapped(Captioner().to(local_rank), local_rank)
    train(model, Captions(options.rows, size=288), local_rank, options.epochs, print)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
