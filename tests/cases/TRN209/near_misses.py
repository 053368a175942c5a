"""Indexing and selecting that waits for nothing, or seldom."""

import numpy as np
import torch
import torch.nn.functional as F
from torch.nn.modules.utils import _pair


def train(model, optimizer, train_loader, args, device):
    for step, batch in enumerate(train_loader):
        tokens = batch.tokens.to(device, non_blocking=True)
        targets = batch.targets.to(device, non_blocking=True)
        batch_size = batch.batch_size
        logits = model(tokens)[:batch_size]
        short = targets[: batch.num_seeds]
        first, width = 0, tokens.shape[1] // 2
        half = tokens[:, first : first + width]
        logits[targets == 0] = 0.0
        logits[targets > 9] = args.rewards_penalty
        logits[:, tokens[:batch_size] == args.pad] = float("-inf")
        order = torch.argsort(targets)
        sorted_logits = logits[order]
        best = logits.argmax(-1)
        gathered = torch.gather(logits, 1, best[:, None])
        chosen = torch.where(targets > 0, gathered.squeeze(1), torch.zeros_like(gathered.squeeze(1)))
        filled = logits.masked_fill(targets[:, None] == 0, 0.0)
        twice = torch.repeat_interleave(chosen, 2)
        spread = torch.repeat_interleave(chosen, targets, output_size=args.total)
        hot = F.one_hot(targets, num_classes=args.classes)
        rows = torch.nonzero_static(targets, size=args.rows)
        noise = np.random.rand(8)
        kept = noise[noise > 0.5]
        draws = torch.rand(16)
        quiet = draws[draws < 0.1]
        loss = (
            F.cross_entropy(sorted_logits, short) + filled.mean() + twice.mean() + (spread + half).mean()
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.remember(hot, rows, kept, quiet)
        if step % args.log_every == 0:
            print("hits", logits[targets > 0].mean(), targets.unique())


@torch.no_grad()
def evaluate(model, val_loader, device):
    hits = 0
    for inputs, targets in val_loader:
        inputs, targets = inputs.to(device, non_blocking=True), targets.to(device, non_blocking=True)
        hits += (model(inputs)[targets > 0]).sum()
    return hits


class Padded(torch.nn.Module):
    def __init__(self, kernel_size):
        super().__init__()
        self.kernel_size = _pair(kernel_size)

    def forward(self, images):
        extra = max(self.kernel_size[0] - images.size(2), 0)
        return images[:, :, : images.size(2) - extra]


class Decoder(torch.nn.Module):
    def __init__(self, width, limit):
        super().__init__()
        self.table = torch.nn.Parameter(torch.zeros(limit, width, device="cuda"))
        self.limit = limit

    def forward(self, hidden, cache=None):
        start = 0 if cache is None else cache.lengths.max()
        hidden = hidden + self.table[start : start + hidden.shape[1]]
        return hidden if self.training else self.inference_rows(hidden)

    def inference_rows(self, hidden):
        scores = hidden.softmax(-1).amax(-1)
        return hidden[scores > 0.5]


class Answers(torch.nn.Module):
    def forward(self, hidden, answers, train=True):
        hidden = hidden.cuda()
        if train:
            return F.cross_entropy(hidden, answers)
        scores = hidden.softmax(-1).amax(-1)
        return self.rank(hidden, scores)

    def rank(self, hidden, scores):
        return hidden[scores > 0.5]


def train_answers(optimizer, prompt_loader, device):
    model = Answers()
    for step, (hidden, answers) in enumerate(prompt_loader):
        answers = answers.to(device, non_blocking=True)
        loss = model(hidden.to(device, non_blocking=True), answers, train=True)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def pooled(values, mask=None):
    if mask is not None:
        values = values[mask > 0]
    return values.mean()


def train_pooled(model, optimizer, train_loader, device):
    for inputs in train_loader:
        loss = pooled(model(inputs.to(device, non_blocking=True)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
