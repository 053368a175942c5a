"""How long a step takes, and where the time goes:  python profile_step.py"""

import time

import torch
from torch.profiler import ProfilerActivity, profile

from caption.losses import caption_loss
from caption.model import ImageTower

ACTIVITIES = [ProfilerActivity.CPU, ProfilerActivity.CUDA]


def images_per_second(model, images, rounds):
    model = model.eval().to("cuda")
    images = images.to("cuda")
    with torch.no_grad():
        start = time.perf_counter()
        for _ in range(rounds):
            model(images)
        seconds = time.perf_counter() - start
    return rounds * len(images) / seconds


def seconds_per_round(network, images, rounds):
    model = torch.compile(network.to("cuda"))
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(rounds):
        model(images)
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / rounds


@torch.compile
def limited(loss, limit):
    value = loss.item()
    return loss * (limit / value) if value > limit else loss


def operators(model, images):
    with torch.autograd.profiler.profile(activities=ACTIVITIES, record_shapes=True) as trace:  #! TRN903
        limited(model(images).norm(), 10.0)
    return trace


def trace_training(model, optimizer, loader, device):
    with profile(activities=ACTIVITIES, record_shapes=True) as profiler:  #! TRN904
        for images, tokens in loader:
            images = images.to(device, non_blocking=True)
            tokens = tokens.to(device, non_blocking=True)
            loss = caption_loss(model(images, tokens), tokens)
            loss.backward()
            optimizer.zero_grad()  #! TRN606
            optimizer.step()
    profiler.export_chrome_trace("trace.json")


def mark_training(model, optimizer, loader, device):
    with torch.autograd.profiler.emit_nvtx():  #! TRN902
        for images, tokens in loader:
            images = images.to(device, non_blocking=True)
            tokens = tokens.to(device, non_blocking=True)
            forward = torch.compile(lambda x, y: caption_loss(model(x, y), y))
            loss = forward(images, tokens)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    batch = torch.randn(32, 3, 224, 224)
    print(images_per_second(ImageTower(), batch, 100), seconds_per_round(ImageTower(), batch, 100))
