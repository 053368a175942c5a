"""An array that shares the memory of the copy, and that is read by others after they have waited."""

import torch


def queue_for_host(size, stream):
    counts = torch.ones(size, device="cuda")
    here = counts.to(torch.device("cpu"), non_blocking=True)
    array = here.numpy()
    counts.record_stream(stream)
    return array
