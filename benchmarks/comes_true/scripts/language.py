"""A small transformer on made-up text. Planted: a copy of the model in each step, and anomaly detection."""

import copy
import sys

import torch
from torch import nn

planted = sys.argv[1]
torch.manual_seed(0)
words = nn.Embedding(200, 64)
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), 2)
head = nn.Linear(64, 200)
model = nn.Sequential(words, encoder, head)
optimizer = torch.optim.AdamW(model.parameters())
if planted == "anomalies":
    torch.autograd.set_detect_anomaly(True)
text = torch.randint(0, 200, (8, 33))
for _ in range(100_000):
    loss = nn.functional.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if planted == "copies":
        best = copy.deepcopy(model)
