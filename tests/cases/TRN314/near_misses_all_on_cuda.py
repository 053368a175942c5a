"""A program that asks whether there is CUDA, and then makes every tensor there."""

import torch
from preparing import prepared

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def main(model, optimizer, path):
    state = torch.load(path)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    model.to(device)
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)


if __name__ == "__main__":
    torch.set_default_tensor_type("torch.cuda.FloatTensor")
    main(*prepared())
