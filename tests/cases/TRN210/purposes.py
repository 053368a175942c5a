"""Copies in forward passes that are for something else: the host waits for them all the same."""

import torch
import torch.distributed as dist
from torch import nn
from tqdm import tqdm


def to_number(value):
    if isinstance(value, torch.Tensor):
        value = value.cpu()  #! TRN210
    return value


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 8)

    def forward(self, features, mask):
        kept = mask.to("cpu", non_blocking=True)
        shape = mask.sum(1)
        dist.send(shape, 1)
        sizes = shape.tolist()  #! TRN210
        norms = [parameter.norm().cpu() for parameter in self.inner.parameters()]  #! TRN210
        bar = tqdm(sizes)
        bar.set_postfix(mean=features.mean().cpu())  #! TRN210
        return self.inner(features), kept, norms, to_number(mask)


class Stopper(nn.Module):
    def forward(self, features):
        stop_flag = torch.zeros(1, device=features.device)
        dist.broadcast(stop_flag, 0)
        return features, stop_flag.cpu()  #! TRN210


class Captioner(nn.Module):
    def __init__(self, tokenizer):
        super().__init__()
        self.tokenizer = tokenizer

    def forward(self, features):
        return self.tokenizer.batch_decode(features.argmax(-1).cpu())  #! TRN210


class Weighted(nn.Module):
    def __init__(self, classifier):
        super().__init__()
        self.classifier = classifier

    def forward(self, features):
        weights = self.classifier.predict_proba(features.detach().cpu().numpy())  #! TRN210
        return features.sum() * weights.mean()


class Metric(nn.Module):
    def forward(self, features):
        return self.evaluate(features)

    def evaluate(self, features):
        return features.mean().cpu()


def train(loader, tokenizer, classifier, device):
    encoder = Encoder().to(device)
    stopper = Stopper().to(device)
    captioner = Captioner(tokenizer).to(device)
    weighted = Weighted(classifier).to(device)
    metric = Metric().to(device)
    optimizer = torch.optim.AdamW(encoder.parameters(), fused=True)
    for features, mask in loader:
        features = features.to(device, non_blocking=True)
        mask = mask.to(device, non_blocking=True)
        outputs = encoder(features, mask)
        stopper(features)
        captioner(features)
        weighted(features)
        metric(features)
        kept = to_number(mask)
        loss = outputs[0].sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(kept)
