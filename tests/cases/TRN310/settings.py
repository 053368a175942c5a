"""Settings that say nothing to the allocator, or say it too late."""

import os

import torch

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size:128"  #! TRN310
os.environ["PYTORCH_ALLOC_CONF"] = "expandable_segments=True"  #! TRN310
os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:8")  #! TRN310
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "garbage_collection_threshold:1.5,max_split_size_mb:64"  #! TRN310


def main(model):
    model = model.cuda()
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"  #! TRN310
    return model(torch.zeros(3, device="cuda"))
