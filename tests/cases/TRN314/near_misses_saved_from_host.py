"""All that this file saves was moved to the CPU before: it loads on every machine."""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def keep(model, path):
    torch.save(model.cpu().state_dict(), path)
    model.to(device)


def keep_with_epoch(model, epoch, path):
    on_host = model.to("cpu")
    torch.save({"epoch": epoch, "weights": on_host.state_dict()}, path)


def keep_copies(model, path):
    weights = {name: value.cpu() for name, value in model.state_dict().items()}
    torch.save(weights, path)


def resume(model, path):
    model.load_state_dict(torch.load(path, weights_only=True))
    return model.to(device)
