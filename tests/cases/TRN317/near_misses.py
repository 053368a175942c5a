"""Statistics that are read seldom, where memory ran out, for a measurement, or of something else."""

import torch


def setup(model, device):
    model = model.to(device)
    print(torch.cuda.memory_summary())
    return model


def train(model, loader, optimizer, tracker, device, log_every):
    for _ in range(10):
        for step, batch in enumerate(loader):
            if step == 0:
                print(torch.cuda.memory_summary())
            try:
                loss = model(batch.to(device, non_blocking=True)).mean()
            except torch.cuda.OutOfMemoryError:
                print(torch.cuda.memory_summary(device))
                raise
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            tracker.memory_stats()
            torch.cuda.reset_peak_memory_stats()
            if step % 100 == 0:
                tracker.add(torch.cuda.memory_stats()["allocated_bytes.all.peak"])
            if (step + 1) % log_every == 0:
                report(device)
        print(torch.cuda.memory_summary(abbreviated=True))


def report(device):
    print(torch.cuda.memory_summary(device))
    return torch.cuda.memory_snapshot()


def evaluate(model, loader, device):
    model.eval()
    with torch.no_grad():
        for batch in loader:
            model(batch.to(device, non_blocking=True))
    print(torch.cuda.memory_summary())


def benchmark_steps(model, loader, optimizer, device):
    used = []
    for batch in loader:
        loss = model(batch.to(device, non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        used.append(torch.cuda.memory_stats()["active_bytes.all.current"])
    return used
