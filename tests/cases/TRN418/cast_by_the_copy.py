"""The copy casts by itself: no TRN418."""

import torch
from torchvision.io import read_image


def show(model: torch.nn.Module, path):
    image = read_image(path)
    return model(image.float().to("cuda", torch.float16).unsqueeze(0) / 255)
