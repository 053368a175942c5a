"""Full precision on purpose, and half precision, where little float32 is left."""

import torch
from torch import nn

from corpora import batches

torch.set_float32_matmul_precision("highest")


def train(model, optimizer):
    for x, y in batches:
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = nn.functional.mse_loss(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


model = nn.TransformerEncoderLayer(512, 8).cuda()
train(model, torch.optim.AdamW(model.parameters()))
