"""The better order, types that are not known, doubles, which the cast makes smaller, and copies that cast."""

import numpy as np
import torch
from torchvision.io import read_image


def load(path, batch, device="cuda"):
    image = read_image(path).to(device).float()
    unknown = batch.float().to(device)
    doubles = torch.from_numpy(np.loadtxt(path)).float().to(device)
    cast = read_image(path).float().to(device, torch.float16)
    single = torch.zeros(4).float().to(device)
    at_home = read_image(path).float().to("cpu")
    there = torch.zeros(4, dtype=torch.uint8, device="cuda").float().to(device)
    return image, unknown, doubles, cast, single, at_home, there
