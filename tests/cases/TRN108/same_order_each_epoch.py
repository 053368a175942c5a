"""Samplers that shuffle once and for all."""

import argparse

import deepspeed
from torch.utils.data import BatchSampler, DataLoader, RandomSampler
from torch.utils.data.distributed import DistributedSampler


def loaders(train_set, held_out, distributed):
    if distributed:
        train_sampler = DistributedSampler(train_set)  #! TRN108
        eval_sampler = DistributedSampler(held_out)
    else:
        train_sampler, eval_sampler = RandomSampler(train_set), None
    options = {"num_workers": 2, "pin_memory": True, "persistent_workers": True}
    train_loader = DataLoader(train_set, 8, sampler=train_sampler, **options)
    eval_loader = DataLoader(held_out, 8, sampler=eval_sampler, **options)
    return train_loader, eval_loader


def evaluate(engine, loader):
    return sum(engine(batch) for batch in loader)


def main(model, train_set, held_out):
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()
    train_loader, eval_loader = loaders(train_set, held_out, distributed=True)
    engine, _, _, _ = deepspeed.initialize(model=model, config="ds.json")
    for epoch in range(args.epochs):
        for step, batch in enumerate(train_loader):
            loss = engine(batch)
            engine.backward(loss)
            engine.step()
        evaluate(engine, eval_loader)


def in_a_batch_sampler(model, optimizer, dataset, rank, ranks):
    sampler = DistributedSampler(dataset, num_replicas=ranks, rank=rank, shuffle=True)  #! TRN108
    batches = BatchSampler(sampler, 16, drop_last=True)
    loader = DataLoader(dataset, batch_sampler=batches, num_workers=4, pin_memory=True, persistent_workers=True)
    for _ in range(20):
        for batch in loader:
            loss = model(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main(*prepared())
    in_a_batch_sampler(*prepared())
