"""Objects that a project pickles itself before it sends them."""

import pickle

import torch
import torch.distributed as dist


def gathered(value):
    data = torch.frombuffer(bytearray(pickle.dumps(value)), dtype=torch.uint8).cuda()  #! TRN207
    size = torch.tensor([data.numel()], device="cuda")  #! TRN207
    sizes = [torch.zeros_like(size) for _ in range(dist.get_world_size())]
    dist.all_gather(sizes, size)
    most = max(int(each) for each in sizes)  #! TRN203
    padded = torch.nn.functional.pad(data, (0, most - data.numel()))
    parts = [torch.empty_like(padded) for _ in sizes]
    dist.all_gather(parts, padded)  #! TRN502
    return [pickle.loads(part.cpu().numpy().tobytes()[: int(each)]) for part, each in zip(parts, sizes)]  #! TRN202 TRN203


def mean_of(value):
    found = gathered(value)
    return sum(found) / len(found)


def gathered_after_epoch(value):
    data = torch.frombuffer(bytearray(pickle.dumps(value)), dtype=torch.uint8).cuda()
    parts = [torch.empty_like(data) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, data)
    return [pickle.loads(part.cpu().numpy().tobytes()) for part in parts]


def reduced(value):
    dist.all_reduce(value)
    return value


def train(model, optimizer, loader, clock):
    times = []
    for batch in loader:
        start = clock()
        loss = model(batch)
        optimizer.zero_grad()
        loss.backward()
        reduced(loss.detach())
        optimizer.step()
        times.append(mean_of(clock() - start))
    gathered_after_epoch(times)
