"""One of the checkpoints that this file saves comes from where the model trains."""

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def keep_best(model, path):
    torch.save(model.cpu().state_dict(), path)
    model.to(device)


def keep_last(model, path):
    torch.save({"weights": model.state_dict()}, path)


def resume(model, path):
    model.load_state_dict(torch.load(path, weights_only=True))  #! TRN314
    return model.to(device)
