# requires: sentence-transformers==6.2.0 datasets
# packages: sentence_transformers
# kind: text
import torch
from sentence_transformers import losses
from torch import nn


class Words(nn.Module):
    """The features of a batch, without a tokenizer that would have to be downloaded."""

    def __init__(self):
        super().__init__()
        self.table = nn.EmbeddingBag(100, 16)

    def forward(self, features):
        return {"sentence_embedding": self.table(features["input_ids"])}


model = Words().cuda()
optimizer = torch.optim.Adam(model.parameters())
loss_of = losses.MultipleNegativesRankingLoss(model)
contrast = losses.OnlineContrastiveLoss(model)
for _ in range(15):
    pair = [{"input_ids": torch.randint(0, 100, (8, 6), device="cuda")} for _ in range(2)]
    labels = torch.randint(0, 2, (8,), device="cuda")
    (loss_of(pair, labels) + contrast(pair, labels)).backward()
    optimizer.step()
    optimizer.zero_grad()
