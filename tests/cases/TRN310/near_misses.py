"""Settings that are in time and known."""

import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
os.environ["PYTORCH_ALLOC_CONF"] = "max_split_size_mb:128,roundup_power2_divisions:[256:1,512:2,>:4]"
os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "backend:cudaMallocAsync")

import torch


def main(model, settings, start_worker):
    if settings is not None:
        os.environ["PYTORCH_CUDA_ALLOC_CONF"] = settings
    available = torch.cuda.is_available()
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "a_key_of_a_later_release:True"
    environment = dict(os.environ)
    environment["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:False"
    start_worker(environment)
    return model.cuda() if available else model
