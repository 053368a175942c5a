"""Trains a text encoder on several GPUs with a contrastive loss. Slow on purpose: README.md names each defect.

Start it with `torchrun --nproc-per-node 8 train_ddp.py`, or by itself for one process.
"""

from __future__ import annotations

import argparse
import os

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from data import ALPHABET, TextPairs, make_text
from model import TextEncoder, Transformer


def gather(embeddings: Tensor) -> Tensor:
    """The embeddings of all processes, one under the other."""
    gathered = [torch.empty_like(embeddings) for _ in range(dist.get_world_size())]
    dist.all_gather(gathered, embeddings)
    return torch.cat(gathered)


def contrastive_loss(left: Tensor, right: Tensor) -> Tensor:
    """Each text must recognise its neighbour among the texts of all processes."""
    scores = left @ gather(right).T / 0.07
    first = dist.get_rank() * len(left)
    return F.cross_entropy(scores, torch.arange(first, first + len(left), device=left.device))


def embed(model: nn.Module, tokens: Tensor) -> Tensor:
    """Each text as one vector of length 1."""
    output = model(tokens)
    hidden = output if isinstance(output, Tensor) else output.last_hidden_state
    return F.normalize(hidden.mean(dim=1), dim=-1)


def build_model(size: str, device: torch.device) -> DistributedDataParallel:
    """The encoder, wrapped so that the gradients of all processes are averaged."""
    if size == "tiny":
        body = Transformer(len(ALPHABET), width=64, depth=2, heads=2, context=128)
        return DistributedDataParallel(TextEncoder(body).to(device))

    from transformers import LlamaConfig, LlamaModel

    config = LlamaConfig(hidden_size=4096, intermediate_size=11008, num_hidden_layers=32, vocab_size=32)
    encoder = LlamaModel(config).to(device)
    return DistributedDataParallel(encoder)


def train(args: argparse.Namespace) -> None:
    local_rank = int(os.environ.get("LOCAL_RANK", "0"))
    device = torch.device(args.device, local_rank) if args.device == "cuda" else torch.device(args.device)
    torch.manual_seed(0)

    dataset = TextPairs(make_text(20_000, seed=0), args.context)
    sampler = DistributedSampler(dataset, shuffle=True)
    loader = DataLoader(dataset, args.batch, sampler=sampler, num_workers=2)

    model = build_model(args.size, device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    step = 0
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for left, right in loader:
            left = left.to(device, non_blocking=True)
            right = right.to(device, non_blocking=True)
            embeddings = embed(model, torch.cat([left, right]))
            loss = contrastive_loss(*embeddings.chunk(2))

            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

            step += 1
            print(f"step {step}: loss {loss:.3f}")
            if step == args.steps:
                return


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--size", default="7b", choices=["tiny", "7b"])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--steps", type=int, default=-1, help="stop after so many steps")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--context", type=int, default=32)
    return parser.parse_args()


def main() -> None:
    args = parse_arguments()
    os.environ.setdefault("MASTER_ADDR", "localhost")
    os.environ.setdefault("MASTER_PORT", "29500")
    os.environ.setdefault("RANK", "0")
    os.environ.setdefault("WORLD_SIZE", "1")
    dist.init_process_group("nccl" if args.device == "cuda" else "gloo")
    try:
        train(args)
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
