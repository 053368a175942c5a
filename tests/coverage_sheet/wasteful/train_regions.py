"""Training of the region scorer on all GPUs:  torchrun --nproc-per-node=gpu train_regions.py folder"""

import argparse
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from caption.data import RegionFeatures
from caption.losses import region_loss
from caption.regions import RegionScorer


def train(network, paths, device, epochs, accumulate):
    model = DistributedDataParallel(network, device_ids=[device], gradient_as_bucket_view=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    dataset = RegionFeatures(paths)
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, 128, sampler=sampler, num_workers=8, pin_memory=True, persistent_workers=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for step, (regions, tokens, mask, labels) in enumerate(loader):
            regions = regions.to(device, non_blocking=True)
            tokens = tokens.to(device, non_blocking=True)
            mask = mask.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            seen = mask.sum()
            dist.all_reduce(seen)
            scores = model(regions, tokens, mask)  #! TRN705
            loss = region_loss(scores, labels)
            loss.backward(retain_graph=True)  #! TRN307 TRN510
            if (step + 1) % accumulate == 0:
                optimizer.step()
                optimizer.zero_grad()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--accumulate", type=int, default=4)
    options = parser.parse_args()

    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    paths = sorted(options.folder.glob("*.npz"))
    train(RegionScorer().to(local_rank), paths, local_rank, options.epochs, options.accumulate)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
