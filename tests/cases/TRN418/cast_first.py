"""Bytes and half numbers that are made four bytes each before they are sent."""

import torch
from torchvision.io import read_image


def load(path, device="cuda"):
    image = read_image(path)
    pixels = image.float().to(device)  #! TRN418
    noise = torch.randint(0, 255, (3, 64, 64), dtype=torch.uint8).unsqueeze(0).float().cuda()  #! TRN418
    features = torch.zeros(4, 4).half()
    return pixels, noise, features.float().to("cuda", non_blocking=True)  #! TRN418
