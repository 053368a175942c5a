"""Checkpoints that are mapped, and files that are no checkpoints."""

import torch


def load(model, path, options, device):
    if not torch.cuda.is_available():
        raise RuntimeError("no CUDA")
    model.load_state_dict(torch.load(path, map_location="cpu"))
    model.load_state_dict(torch.load(path, device))
    model.load_state_dict(torch.load(path, **options))
    images = torch.load(f"{path}.images")
    return model, images


def load_numbers(scheduler, path):
    scheduler.load_state_dict(torch.load(path))
    torch.save(scheduler.state_dict(), path)


def load_by_device(model, path, gpu):
    if gpu is None:
        state = torch.load(path)
        state.pop("epoch", None)
    else:
        state = torch.load(path, map_location=f"cuda:{gpu}")
    model.load_state_dict(state)


def load_on_gpu(model, path, use_gpu):
    if use_gpu:
        model.load_state_dict(torch.load(path))
    else:
        model.load_state_dict(torch.load(path, map_location="cpu"))


def load_either_way(model, other, optimizer, path):
    model.load_state_dict(torch.load(path))
    other.load_state_dict(torch.load(path, map_location="cpu"))
    torch.save(model.state_dict(), f"{path}.copy")
