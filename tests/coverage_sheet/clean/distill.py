"""A large convolution network teaches a small one:  torchrun --nproc-per-node=gpu distill.py pictures"""

import argparse
import os

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
        pictures, batch_size=64, sampler=sampler, num_workers=8, pin_memory=True, persistent_workers=True
    )
    teacher = models.resnet101(weights="IMAGENET1K_V2").to(device, memory_format=torch.channels_last)
    teacher.eval().requires_grad_(False)
    network = models.resnet18(num_classes=1000).to(device, memory_format=torch.channels_last)
    network.compile()
    student = DistributedDataParallel(network, device_ids=[device], gradient_as_bucket_view=True)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1, momentum=0.9, fused=True)
    total = torch.zeros((), device=device)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for images, labels in loader:
            images = images.to(device, non_blocking=True).to(memory_format=torch.channels_last)
            labels = labels.to(device, non_blocking=True)
            noise = torch.randn_like(images) * 0.1
            with torch.no_grad():
                answers = teacher(images)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                scores = student(images + noise)
                loss = hard_label_loss(scores, labels) + soft_label_loss(scores, answers, 4.0)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
            optimizer.step()
            total += loss.detach()
        if dist.get_rank() == 0:
            torch.save(student.module.state_dict(), "student.pt")
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pictures")
    parser.add_argument("--epochs", type=int, default=50)
    options = parser.parse_args()

    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    train(ImageFolder(options.pictures, transform=picture_transform(224)), local_rank, options.epochs)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
