"""A large convolution network teaches a small one:  torchrun --nproc-per-node=gpu distill.py pictures"""

import argparse
import copy
import os

import numpy as np
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler
from torchvision import models
from torchvision.datasets import ImageFolder

from caption.data import picture_transform
from caption.losses import hard_label_loss, soft_label_loss


def train(pictures, device, epochs):
    sampler = DistributedSampler(pictures)
    loader = DataLoader(
        pictures, batch_size=4, sampler=sampler, num_workers=8, pin_memory=True, persistent_workers=True
    )
    teacher = models.resnet101(weights="IMAGENET1K_V2").eval().requires_grad_(False).to(device)
    network = models.resnet18(num_classes=1000).to(device)
    student = DistributedDataParallel(network, device_ids=[device], gradient_as_bucket_view=True)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1, momentum=0.9, fused=True)
    kept = []
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for images, labels in loader:
            images = images.to(device, non_blocking=True)
            labels = labels.to(device, non_blocking=True)
            noise = torch.from_numpy(np.random.normal(0, 0.1, images.shape)).float().to(device)  #! TRN207
            with torch.no_grad():
                answers = teacher(images)
            before = copy.deepcopy(student.state_dict())
            with torch.autocast("cuda"):  #! TRN402
                scores = student.module(images + noise)  #! TRN408 TRN705
                loss = hard_label_loss(scores, labels) + soft_label_loss(scores, answers, 4.0)
            optimizer.zero_grad()
            loss.backward()
            total, seen = loss.detach(), torch.full((), len(images), device=device)
            dist.all_reduce(seen)
            dist.all_reduce(total)
            for parameter in student.parameters():
                dist.all_reduce(parameter.grad)  #! TRN504
            torch._foreach_div_([parameter.grad for parameter in student.parameters()], seen)
            for parameter in student.parameters():
                torch.nn.utils.clip_grad_norm_(parameter, 1.0)
            optimizer.step()
            kept.append(scores)  #! TRN304
            if dist.get_rank() == 0:
                torch.save(student.module.state_dict(), "student.pt")  #! TRN313
    return before, kept


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pictures")
    parser.add_argument("--epochs", type=int, default=50)
    options = parser.parse_args()

    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("gloo")  #! TRN518
    train(ImageFolder(options.pictures, transform=picture_transform(224)), local_rank, options.epochs)


if __name__ == "__main__":
    main()
