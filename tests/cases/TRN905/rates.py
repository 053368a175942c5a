"""Rates whose clock did not wait."""

import time

import torch


@torch.no_grad()
def frames_per_second(model, image, rounds=100):
    model = model.eval().to("cuda")
    image = image.to("cuda")
    began = time.time()
    for _ in range(rounds):
        model(image)
    return 1 / ((time.time() - began) / rounds)  #! TRN905


def train(model, optimizer, train_loader, device):
    model = model.to(device)
    for step, inputs in enumerate(train_loader):
        start = time.perf_counter()
        loss = model(inputs.to(device, non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        end = time.perf_counter()  #! TRN905
        elapsed = end - start
        if step % 100 == 0:
            print("samples/s", len(inputs) / elapsed)
