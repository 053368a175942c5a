"""Steps of Fabric and Accelerate that are timed one by one."""

import time

import lightning as L
import torch


def train(loader, count, most):
    fabric = L.Fabric(accelerator="cuda", devices=4)
    model = fabric.setup(torch.nn.Linear(3, 3))
    optimizer = fabric.setup_optimizers(torch.optim.AdamW(model.parameters()))
    for step, batch in enumerate(fabric.setup_dataloaders(loader)):
        begun = time.perf_counter()
        gathers = (step + 1) % count != 0
        with fabric.no_backward_sync(model, enabled=gathers):
            loss = model(batch).mean()
            fabric.backward(loss / count)
        if not gathers:
            fabric.clip_gradients(model, optimizer, max_norm=most)
            optimizer.step()
            optimizer.zero_grad()
        ended = time.perf_counter()  #! TRN901
        if step % 10 == 0:
            fabric.print(f"{loss.item():.3f} after {ended - begun:.2f} s")


def train_waiting(loader):
    fabric = L.Fabric(accelerator="cuda", devices=4)
    model = fabric.setup(torch.nn.Linear(3, 3))
    optimizer = fabric.setup_optimizers(torch.optim.AdamW(model.parameters()))
    for batch in fabric.setup_dataloaders(loader):
        begun = time.perf_counter()
        loss = model(batch).mean()
        fabric.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        if torch.cuda.is_available():
            torch.cuda.synchronize()  #! TRN204
        print(time.perf_counter() - begun)


def train_clipped(loader, most):
    fabric = L.Fabric(accelerator="cuda", devices=4)
    model = fabric.setup(torch.nn.Linear(3, 3))
    optimizer = fabric.setup_optimizers(torch.optim.AdamW(model.parameters()))
    for batch in fabric.setup_dataloaders(loader):
        begun = time.perf_counter()
        loss = model(batch).mean()
        fabric.backward(loss)
        fabric.clip_gradients(model, optimizer, max_norm=most)
        optimizer.step()
        optimizer.zero_grad()
        print(time.perf_counter() - begun)


def train_accelerated(accelerator, loader, count):
    model = torch.nn.Linear(3, 3).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        begun = time.perf_counter()
        with accelerator.accumulate(model):
            loss = model(batch).mean()
            accelerator.backward(loss)
        print(time.perf_counter() - begun)  #! TRN901


def train_and_average(model, optimizer, loader):
    begun = time.time()
    model = model.cuda()
    for batch in loader:
        loss = model(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(time.time() - begun)


def train_with_average_of_weights(model, shadow, optimizer, loader, average):
    model = model.cuda()
    for batch in loader:
        begun = time.time()
        loss = model(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for own, kept in zip(model.parameters(), shadow.parameters()):
            average(own, kept)
        print(time.time() - begun)
