"""Meters and loggers that take numbers and tensors alike."""

import torch


class Meters:
    def __init__(self):
        self.sums = {}

    def update(self, **values):
        for name, value in values.items():
            if isinstance(value, torch.Tensor):
                value = value.item()  #! TRN201
            self.sums[name] = self.sums.get(name, 0.0) + value


def as_number(value):
    return value.item() if torch.is_tensor(value) else value  #! TRN201


def record(history, *values):
    for value in values:
        if isinstance(value, torch.Tensor):
            history.append(value.detach().cpu())  #! TRN202
        else:
            history.append(value)


def train(model, criterion, optimizer, loader, history):
    meters = Meters()
    for inputs, targets in loader:
        inputs = inputs.to("cuda", non_blocking=True)
        targets = targets.to("cuda", non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        meters.update(loss=loss, lr=optimizer.param_groups[0]["lr"])
        parts = {"loss": loss, "norm": norm}
        meters.update(**parts)
        print(as_number(loss))  #! TRN203
        record(history, norm)
