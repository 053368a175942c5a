"""Nothing is saved here: the checkpoint comes from elsewhere, where it may have been moved to the host."""

import torch


def prepare(model, path):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model.load_state_dict(torch.load(path)["weights"])
    return model.to(device).eval()
