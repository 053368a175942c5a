"""Scores that others read, or that are few."""

import torch
import torch.nn.functional as F
from torch import nn


class ReturnsBoth(nn.Module):
    def forward(self, tokens, targets=None):
        logits = self.lm_head(self.body(tokens))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
        return logits, loss


class Counts(nn.Module):
    def forward(self, tokens, targets):
        logits = self.lm_head(self.body(tokens))
        hits = (logits.argmax(-1) == targets).sum()
        return F.cross_entropy(logits.view(-1, self.vocab_size), targets.view(-1)), hits


class Classifier(nn.Module):
    def forward(self, tokens, labels):
        scores = self.cls(self.pooled(tokens))
        return F.cross_entropy(scores.view(-1, self.num_labels), labels.view(-1))


class NextSentence(nn.Module):
    def forward(self, tokens, labels):
        scores = self.cls(self.pooled(tokens))
        return F.cross_entropy(scores.view(-1, 2), labels.view(-1))


class MaskedOnly(nn.Module):
    def forward(self, tokens, labels):
        hidden = self.encoder(tokens)
        masked = torch.nonzero(labels.view(-1) + 1).view(-1)  #! TRN209
        scores = self.lm_head(hidden, masked)
        return F.cross_entropy(scores.view(-1, self.config.vocab_size), labels.view(-1)[masked])


def from_a_caller(logits, labels, vocab_size):
    return F.cross_entropy(logits.view(-1, vocab_size), labels.view(-1))


@torch.no_grad()
def perplexity(model, loader, vocab_size):
    total = 0.0
    for tokens, labels in loader:
        logits = model(tokens)
        total += F.cross_entropy(logits.view(-1, vocab_size), labels.view(-1)).item()
    return total / len(loader)


def images(model, optimizer, train_loader):
    for pictures, labels in train_loader:
        loss = F.cross_entropy(model(pictures).view(-1, 1000), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Perplexity(nn.Module):
    def forward(self, tokens, targets):
        with torch.no_grad():
            logits = self.lm_head(self.body(tokens))
            return F.cross_entropy(logits.view(-1, self.vocab_size), targets.view(-1))
