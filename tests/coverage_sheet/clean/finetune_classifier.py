"""Fine-tuning of the image tower on a folder of labelled pictures:

    torchrun --nproc-per-node=gpu finetune_classifier.py pictures held_out
"""

import argparse
import os
import random

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler
from torchvision.datasets import ImageFolder

from caption.data import picture_transform
from caption.model import PictureClassifier


def set_seed(seed, deterministic=False):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    if deterministic:
        torch.backends.cudnn.deterministic = True


def train(model, optimizer, scheduler, pictures, held_out, epochs):
    criterion = nn.CrossEntropyLoss()
    best = 0.0
    sampler = DistributedSampler(pictures)
    loader = DataLoader(pictures, 64, sampler=sampler, num_workers=8, pin_memory=True, persistent_workers=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        model.train()
        total, correct = torch.zeros((), device="cuda"), torch.zeros((), dtype=torch.int64, device="cuda")
        for images, labels in loader:
            images = images.cuda(non_blocking=True)
            labels = labels.cuda(non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                scores = model(images)
                loss = criterion(scores, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            total += loss.detach()
            correct += (scores.argmax(1) == labels).sum()
        print(f"epoch {epoch}: loss {total / len(loader):.3f}, {correct} right")
        model.eval()
        hits = 0
        with torch.no_grad():
            for images, labels in held_out:
                hits += (model(images.cuda(non_blocking=True)).argmax(1) == labels.cuda(non_blocking=True)).sum()
        best = max(best, hits.item())
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pictures")
    parser.add_argument("held_out")
    parser.add_argument("--epochs", type=int, default=20)
    options = parser.parse_args()

    set_seed(0)
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    pictures = ImageFolder(options.pictures, transform=picture_transform(224))
    held_out = DataLoader(
        ImageFolder(options.held_out, transform=picture_transform(224)),
        128,
        num_workers=4,
        pin_memory=True,
        persistent_workers=True,
    )
    model = PictureClassifier(len(pictures.classes)).cuda()
    model.compile()
    model = DistributedDataParallel(model, device_ids=[local_rank], gradient_as_bucket_view=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-4, total_steps=20 * len(pictures) // 64)
    print(train(model, optimizer, scheduler, pictures, held_out, options.epochs))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
