"""A head on top of a frozen transformer, whose states are computed in equal pieces."""

import torch
from torch import nn

PIECES = 20
torch.manual_seed(0)
words = nn.Embedding(100, 32)
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 2, 64, dropout=0.0, batch_first=True), 1).eval()
head = nn.Linear(32, 100)
optimizer = torch.optim.AdamW(head.parameters())
text = torch.randint(0, 100, (8, 17))
for _ in range(100_000):
    for _ in range(PIECES):
        with torch.no_grad():
            states = encoder(words(text[:, :-1]))
    loss = nn.functional.cross_entropy(head(states).flatten(0, 1), text[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
