"""TF32 is allowed before the loop is entered, by the older switch."""

import torch
from torch import nn

from corpora import batches


def set_up():
    torch.backends.cuda.matmul.allow_tf32 = True


def train(model, optimizer):
    for x, y in batches:
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=False):
            loss = nn.functional.mse_loss(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    set_up()
    model = nn.TransformerEncoderLayer(512, 8).cuda()
    train(model, torch.optim.AdamW(model.parameters()))


main()
