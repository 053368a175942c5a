"""Contrastive training of both towers:  torchrun --nproc-per-node=gpu train.py rows.jsonl held_out.jsonl"""

import argparse
import copy
import os

import torch
import torch.distributed as dist
from torch.cuda.amp import GradScaler, autocast  #! TRN801
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
    checkpoint = torch.load(path)  #! TRN314 TRN806
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    return checkpoint["epoch"] + 1


def train_one_epoch(model, average, optimizer, scheduler, scaler, loader, device, meter):
    model.train()
    running_loss = torch.zeros((), device=device)
    bar = tqdm(loader, disable=not is_main())
    for step, (images, tokens) in enumerate(bar):
        images = images.to(device)  #! TRN205
        tokens = tokens.to(device)
        with autocast():
            pictures, captions, scale = model(images, tokens)  #! TRN705
            loss = contrastive_loss(pictures, captions, scale)
        if not torch.isfinite(loss):  #! TRN203
            raise FloatingPointError("the loss is not finite")
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  #! TRN404
        scaler.step(optimizer)
        scaler.update()
        scheduler.step()
        update_average(average, model)
        running_loss += loss  #! TRN304
        mean_loss = loss.detach().clone()
        dist.all_reduce(mean_loss)  #! TRN215
        if step % 50 == 0 and is_main():
            print(mean_loss / dist.get_world_size())
        meter.update(loss)
        bar.set_postfix(loss=loss.item())  #! TRN201
        dist.barrier()  #! TRN505
        torch.cuda.empty_cache()  #! TRN301
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

    dist.init_process_group("nccl")  #! TRN535
    rank = dist.get_rank()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.manual_seed(options.seed + rank)
    pictures = Captions(options.rows)
    sampler = DistributedSampler(pictures, seed=options.seed + rank)  #! TRN108
    loader = DataLoader(  #! TRN102 TRN103 TRN105
        pictures,
        256,
        sampler=sampler,
        num_workers=os.cpu_count(),
        collate_fn=collate_captions,
        drop_last=True,
    )
    held_out = validation_loader(options.held_out, 256)

    network = ImageText().to(device)
    average = copy.deepcopy(network)
    for parameter in network.parameters():
        dist.broadcast(parameter.data, src=0)
    model = DistributedDataParallel(network, device_ids=[device], find_unused_parameters=True)  #! TRN508 TRN530
    optimizer = make_optimizer(model, options.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=options.epochs * len(loader))
    scaler = GradScaler()
    first = resume(options.resume, network, optimizer) if options.resume else 0

    meter = Meter()
    for epoch in range(first, options.epochs):
        loss = train_one_epoch(model, average, optimizer, scheduler, scaler, loader, device, meter)
        if is_main():
            accuracy = retrieval(average, held_out, device)
            print(f"epoch {epoch}: loss {loss:.3f}, {accuracy:.1%} of the captions found")
            report_memory(epoch)
            save_checkpoint(f"contrastive_{epoch}.pt", network, optimizer, epoch)


if __name__ == "__main__":
    main()
