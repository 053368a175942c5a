"""Trains a small language model on one GPU. Slow on purpose: README.md names each defect."""

from __future__ import annotations

import argparse

import torch
from torch import Tensor, nn
from torch.cuda.amp import GradScaler, autocast
from torch.nn import functional as F
from torch.utils.data import DataLoader

from data import ALPHABET, TextWindows, make_text
from model import Transformer


def next_token_loss(logits: Tensor, targets: Tensor) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def evaluate(model: nn.Module, loader: DataLoader[tuple[Tensor, Tensor]], device: torch.device) -> float:
    model.eval()
    total = 0.0
    for tokens, targets in loader:
        tokens, targets = tokens.to(device, non_blocking=True), targets.to(device, non_blocking=True)
        total += next_token_loss(model(tokens), targets).item()
    model.train()
    return total / len(loader)


def train(args: argparse.Namespace) -> None:
    device = torch.device(args.device)
    torch.manual_seed(args.seed)
    model = Transformer(len(ALPHABET), width=args.width, depth=4, heads=4, context=args.context).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    scaler = GradScaler()

    train_set = TextWindows(make_text(20_000, seed=0), args.context)
    train_loader = DataLoader(train_set, batch_size=args.batch, shuffle=True, drop_last=True)
    eval_set = TextWindows(make_text(1_000, seed=1), args.context)
    eval_loader = DataLoader(eval_set, batch_size=args.batch, num_workers=2, pin_memory=True)

    step = 0
    for epoch in range(args.epochs):
        epoch_loss = 0.0
        history = []
        for tokens, targets in train_loader:
            tokens = tokens.to(device)
            targets = targets.to(device)

            with autocast():
                logits = model(tokens)
                loss = next_token_loss(logits, targets)
            if torch.isnan(loss):
                raise RuntimeError("the loss is no longer a number")

            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()

            epoch_loss += loss
            history.append(loss.item())
            correct = (logits.argmax(dim=-1) == targets).cpu()
            if device.type == "cuda":
                torch.cuda.synchronize()
            torch.cuda.empty_cache()

            step += 1
            if step % args.log_interval == 0:
                accuracy = correct.float().mean().item()
                print(f"step {step}: loss {history[-1]:.3f}, accuracy {accuracy:.3f}")
            if step == args.steps:
                break

        mean_loss = epoch_loss / len(history)
        print(f"epoch {epoch}: loss {mean_loss:.3f}, evaluation {evaluate(model, eval_loader, device):.3f}")
        if step == args.steps:
            break


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--steps", type=int, default=-1, help="stop after so many steps")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--context", type=int, default=64)
    parser.add_argument("--log-interval", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    train(parse_arguments())
