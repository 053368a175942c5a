"""A script for machines with and without CUDA."""

import torch


def save_parts(encoder, decoder, folder):
    torch.save(encoder.state_dict(), f"{folder}/encoder.pt")
    torch.save({"decoder": decoder.state_dict()}, f"{folder}/decoder.pt")


def load_parts(encoder, decoder, folder):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    encoder.load_state_dict(torch.load(f"{folder}/encoder.pt", weights_only=True))  #! TRN314
    saved = torch.load(f"{folder}/decoder.pt", weights_only=True)  #! TRN314
    weights = saved.get("decoder")
    decoder.load_state_dict(weights, strict=False)
    return encoder.to(device), decoder.to(device)
