"""The sampler of torchdata, which keeps its state, shares rows out in the same way."""

from torchdata.stateful_dataloader.sampler import StatefulDistributedSampler


def of_each_rank(dataset, ranks, rank):
    return StatefulDistributedSampler(dataset, ranks, rank, seed=17 + rank)  #! TRN109
