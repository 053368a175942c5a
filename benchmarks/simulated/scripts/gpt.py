"""A small language model of transformer blocks, in bfloat16 by autocast."""

import sys

import torch
from torch import nn
from torch.nn import functional as F

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 1
STEPS, BATCH, LENGTH, WIDTH, HEADS, WORDS = 44, 2 * SIZE, 16 * SIZE, 32 * SIZE, 2, 101
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention, self.projection = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, hidden):
        split = self.attention(self.before(hidden)).unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(*split, is_causal=True)
        hidden = hidden + self.projection(mixed.transpose(1, 2).flatten(2))
        return hidden + self.mlp(self.between(hidden))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.positions = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.last = nn.LayerNorm(WIDTH)

    def forward(self, tokens):
        hidden = self.words(tokens) + self.positions(torch.arange(tokens.shape[1], device=tokens.device))
        for block in self.blocks:
            hidden = block(hidden)
        return F.linear(self.last(hidden), self.words.weight)


text = torch.randint(WORDS, (STEPS, BATCH, LENGTH + 1))
text[:, :, -3:] = 0  # padding
model = Model().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
losses = []

for step in range(STEPS):
    batch = text[step].to(device)  # copy to device 1/step
    inputs, targets = batch[:, :-1], batch[:, 1:]
    with torch.autocast("cuda", dtype=torch.bfloat16, enabled=device == "cuda"):
        logits = model(inputs)
        padded = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=0)
        kept = targets != 0
        loss = padded + 0.1 * F.cross_entropy(logits[kept], targets[kept])  # wait 2/step
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # wait 1/step
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)  # wait 1/step
    optimizer.step()
    losses.append(loss.detach())
    if torch.isnan(loss):  # wait 1/step
        break
    rates = torch.tensor([group["lr"] for group in optimizer.param_groups], device=device)  # copy to device 1/step
    if step % 10 == 9:
        print(step, *torch.stack((loss.detach(), norm, rates.mean())).tolist())  # copy to host 1/10 steps
