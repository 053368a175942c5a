"""Rates that are right, or right on average."""

import time

import torch


@torch.no_grad()
def frames_per_second(model, image, rounds=100):
    model = model.eval().to("cuda")
    image = image.to("cuda")
    torch.cuda.synchronize()
    began = time.time()
    for _ in range(rounds):
        model(image)
    torch.cuda.synchronize()
    return rounds / (time.time() - began)


@torch.no_grad()
def answers_per_second(model, images, rounds=100):
    model = model.eval().to("cuda")
    answers = []
    began = time.time()
    for _ in range(rounds):
        answers.append(model(images).argmax(-1).cpu())
    return answers, rounds / (time.time() - began)


def train(model, optimizer, train_loader, device):
    model = model.to(device)
    seen, start = 0, time.time()
    for step, inputs in enumerate(train_loader):
        loss = model(inputs.to(device, non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen += len(inputs)
        if step % 100 == 0:
            print("samples/s", seen / (time.time() - start))
            seen, start = 0, time.time()


def with_a_report(model, images, report):
    model = model.to("cuda")
    began = time.time()
    answers = model(images)
    report(answers)
    return len(images) / (time.time() - began)
