"""Contrastive training of both towers:  torchrun --nproc-per-node=gpu train.py rows.jsonl held_out.jsonl"""

import argparse
import copy
import math
import os

import torch
import torch.distributed as dist
from torch.amp import GradScaler, autocast
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler
from tqdm import tqdm

from caption.checkpoints import save_checkpoint
from caption.data import Captions, collate_captions, validation_loader
from caption.distributed import is_main
from caption.evaluate import retrieval
from caption.losses import contrastive_loss
from caption.metrics import Meter, report_memory
from caption.model import ImageText
from caption.optimizers import make_optimizer, update_average


def resume(path, model, optimizer):
    """Go on where a run has stopped. Returns the next epoch."""
    checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    return checkpoint["epoch"] + 1


def train_one_epoch(model, average, optimizer, scheduler, scaler, loader, device, meter):
    model.train()
    running_loss = torch.zeros((), device=device)
    bar = tqdm(loader, disable=not is_main())
    for step, (images, tokens) in enumerate(bar):
        images = images.to(device, non_blocking=True)
        tokens = tokens.to(device, non_blocking=True)
        with autocast("cuda", dtype=torch.float16):
            pictures, captions, scale = model(images, tokens)
            loss = contrastive_loss(pictures, captions, scale)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        scheduler.step()
        update_average(average, model)
        running_loss += loss.detach()
        if step % 50 == 0:
            mean_loss = loss.detach().clone()
            dist.all_reduce(mean_loss)
            mean_loss = mean_loss.item() / dist.get_world_size()
            if not math.isfinite(mean_loss):
                raise FloatingPointError("the loss is not finite")
            meter.update(mean_loss)
            bar.set_postfix(loss=mean_loss)
    return running_loss / len(loader)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows")
    parser.add_argument("held_out")
    parser.add_argument("--epochs", type=int, default=32)
    parser.add_argument("--lr", type=float, default=5e-4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume")
    options = parser.parse_args()

    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device)
    rank = dist.get_rank()
    torch.manual_seed(options.seed + rank)
    pictures = Captions(options.rows)
    sampler = DistributedSampler(pictures, seed=options.seed)
    loader = DataLoader(
        pictures,
        256,
        sampler=sampler,
        num_workers=max(1, os.cpu_count() // torch.cuda.device_count() - 1),
        pin_memory=True,
        persistent_workers=True,
        collate_fn=collate_captions,
        drop_last=True,
    )
    held_out = validation_loader(options.held_out, 256)

    network = ImageText().to(device)
    average = copy.deepcopy(network)
    network.compile()
    model = DistributedDataParallel(network, device_ids=[device], gradient_as_bucket_view=True)
    optimizer = make_optimizer(model, options.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=options.epochs * len(loader))
    scaler = GradScaler("cuda")
    first = resume(options.resume, network, optimizer) if options.resume else 0

    meter = Meter()
    for epoch in range(first, options.epochs):
        sampler.set_epoch(epoch)
        loss = train_one_epoch(model, average, optimizer, scheduler, scaler, loader, device, meter)
        if is_main():
            accuracy = retrieval(average, held_out, device)
            print(f"epoch {epoch}: loss {loss:.3f}, {accuracy:.1%} of the captions found")
            report_memory(epoch)
            save_checkpoint(f"contrastive_{epoch}.pt", network, optimizer, epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
