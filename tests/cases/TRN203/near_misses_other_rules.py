"""Values that a bar shows, that all ranks agree on, or that come from workers in other processes."""

import ray
import torch
import torch.distributed as dist
from tqdm import tqdm


def train(model, criterion, optimizer, train_loader, device):
    model = model.to(device)
    bar = tqdm(train_loader)
    for step, (inputs, targets) in enumerate(bar):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        bar.set_description(f"loss {loss:.3f}")  #! TRN203
        stop_flag = torch.tensor(step > 1000, device=device)  #! TRN208
        dist.all_reduce(stop_flag)
        if stop_flag > 0:
            break


class Driver:
    def collect(self, workers):
        return ray.get([worker.sample.remote() for worker in workers])

    def fit(self, model, criterion, optimizer, loader, device):
        model = model.to(device)
        for inputs, targets in loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            self.last = float(loss)
