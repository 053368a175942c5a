"""Training of a captioner whose states do not fit one GPU:  torchrun --nproc-per-node=8 train_fsdp.py rows.jsonl"""

import argparse
import os

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.utils.data import DataLoader

from caption.checkpoints import save_whole
from caption.data import Captions
from caption.losses import caption_loss
from caption.model import Captioner


def train(rows, local_rank, epochs):
    dataset = Captions(rows)
    loader = DataLoader(dataset, 16, shuffle=True, num_workers=8, pin_memory=True)  #! TRN103 TRN107
    network = Captioner(width=2048, heads=32)
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-4, fused=True)
    model = FSDP(network, device_id=local_rank)  #! TRN513
    scaler = torch.amp.GradScaler("cuda")
    scales = []
    for epoch in range(epochs):
        for images, tokens in loader:
            images = images.to(local_rank, non_blocking=True)
            tokens = tokens.to(local_rank, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = caption_loss(model(images, tokens), tokens)  #! TRN705
            optimizer.zero_grad(set_to_none=False)  #! TRN306
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            scales.append(scaler.get_scale())  #! TRN213
            torch.cuda.synchronize()  #! TRN204
        save_whole(f"large_{epoch}.pt", model)
        print(f"epoch {epoch}: the loss was scaled by {min(scales)} to {max(scales)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows")
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args()

    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    train(options.rows, local_rank, options.epochs)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
