"""The best weights of this very run, which has the devices that it had."""

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"


def train(model, loader, step, score, path):
    best = 0.0
    for batch in loader:
        step(model, batch)
        if score(model) > best:
            best = score(model)
            torch.save(model.state_dict(), path)
    model.load_state_dict(torch.load(path))
    return model
