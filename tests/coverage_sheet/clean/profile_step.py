"""How long a step takes, and where the time goes:  python profile_step.py"""

import time

import torch
from torch.profiler import ProfilerActivity, profile, schedule

from caption.losses import caption_loss
from caption.model import ImageTower

ACTIVITIES = [ProfilerActivity.CPU, ProfilerActivity.CUDA]


def images_per_second(model, images, rounds):
    model = model.eval().to("cuda")
    images = images.to("cuda")
    with torch.no_grad():
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(rounds):
            model(images)
        torch.cuda.synchronize()
        seconds = time.perf_counter() - start
    return rounds * len(images) / seconds


def seconds_per_round(network, images, rounds):
    model = torch.compile(network.to("cuda"))
    for _ in range(3):
        model(images)
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(rounds):
        model(images)
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / rounds


@torch.compile
def limited(loss, limit):
    return loss * (limit / loss.detach()).clamp(max=1.0)


def operators(model, images):
    with profile(activities=ACTIVITIES, record_shapes=True) as trace:
        limited(model(images).norm(), 10.0)
    return trace


def trace_training(model, optimizer, loader, device, save):
    phases = schedule(wait=10, warmup=2, active=3, repeat=1)
    with profile(activities=ACTIVITIES, schedule=phases, on_trace_ready=save) as profiler:
        for images, tokens in loader:
            images = images.to(device, non_blocking=True)
            tokens = tokens.to(device, non_blocking=True)
            loss = caption_loss(model(images, tokens), tokens)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            profiler.step()


def mark_training(model, optimizer, loader, device, marked=False):
    forward = torch.compile(lambda x, y: caption_loss(model(x, y), y))
    with torch.autograd.profiler.emit_nvtx(enabled=marked):
        for images, tokens in loader:
            images = images.to(device, non_blocking=True)
            tokens = tokens.to(device, non_blocking=True)
            loss = forward(images, tokens)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    batch = torch.randn(32, 3, 224, 224)
    print(images_per_second(ImageTower(), batch, 100), seconds_per_round(ImageTower(), batch, 100))
