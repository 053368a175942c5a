"""Scores over a vocabulary that only the loss reads."""

import torch
import torch.nn.functional as F
from torch import nn


class Masked(nn.Module):
    def forward(self, tokens, labels=None):
        hidden, pooled = self.encoder(tokens)
        scores, next_sentence = self.cls(hidden, pooled)
        if labels is not None:
            criterion = nn.CrossEntropyLoss(ignore_index=-1)
            loss = criterion(scores.view(-1, self.config.vocab_size), labels.view(-1))  #! TRN713
            return loss
        else:
            return scores, next_sentence


class Causal(nn.Module):
    def __init__(self, body, width):
        super().__init__()
        self.body = body
        self.lm_head = nn.Linear(width, 50257)
        self.criterion = nn.CrossEntropyLoss()

    def forward(self, tokens, labels):
        logits = self.lm_head(self.body(tokens))
        logits = logits.to(torch.float32)
        shifted = logits[..., :-1, :].contiguous()
        return self.criterion(shifted.view(-1, shifted.size(-1)), labels[..., 1:].reshape(-1))  #! TRN713


class Early(nn.Module):
    def forward(self, tokens, labels):
        scores = self.decoder(self.body(tokens))
        if labels is None:
            return scores
        return F.cross_entropy(scores.reshape(-1, 32128), labels.reshape(-1))  #! TRN713


def train(model, optimizer, train_loader, vocab_size):
    for tokens, labels in train_loader:
        logits = model(tokens)
        loss = F.cross_entropy(logits.view(-1, vocab_size), labels.view(-1))  #! TRN713
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
