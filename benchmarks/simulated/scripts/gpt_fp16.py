"""A classifier in float16 with a gradient scaler; one of its two optimizers is fused."""

import sys

import torch
from torch import nn

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 1
STEPS, BATCH, LENGTH, WIDTH, WORDS = 44, 4 * SIZE, 12 * SIZE, 32 * SIZE, 53
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)

embedding = nn.Embedding(WORDS, WIDTH).to(device)
model = nn.Sequential(
    nn.TransformerEncoderLayer(WIDTH, 2, 2 * WIDTH, dropout=0.0, batch_first=True), nn.Linear(WIDTH, WORDS)
).to(device)
slow = torch.optim.SGD(embedding.parameters(), lr=0.01)
fused = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
scaler = torch.amp.GradScaler(device, init_scale=1024.0)
tokens = torch.randint(WORDS, (STEPS, BATCH, LENGTH))
ahead = torch.triu(torch.full((LENGTH, LENGTH), float("-inf")), diagonal=1).to(device)
losses = []

for step in range(STEPS):
    batch = tokens[step].pin_memory() if device == "cuda" else tokens[step]
    batch = batch.to(device, non_blocking=True)  # copy to device 1/step
    with torch.autocast("cuda", dtype=torch.float16, enabled=device == "cuda"):
        logits = model[1](model[0](embedding(batch), src_mask=ahead))
    loss = nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1).float(), batch[:, 1:].flatten())
    slow.zero_grad()
    fused.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(slow)
    scaler.step(slow)  # wait 1/step
    scaler.step(fused)
    scaler.update()
    losses.append(loss.detach())
    if step % 5 == 4:
        print(step, scaler.get_scale(), float(loss))  # wait 2/5 steps
