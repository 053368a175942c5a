"""Copies in helpers, for other ranks, for each parameter, for a bar and for texts."""

import torch
import torch.distributed as dist
from tqdm import tqdm


def to_number(value):
    if isinstance(value, torch.Tensor):
        value = value.cpu()  #! TRN202
    return value


class Encoder(torch.nn.Module):
    def forward(self, features, mask):
        lengths = mask.sum(1).cpu()  #! TRN210
        return torch.nn.utils.rnn.pack_padded_sequence(features, lengths, enforce_sorted=False).data


def train(model, criterion, optimizer, train_loader, device):
    encoder = Encoder()
    bar = tqdm(train_loader)
    for features, mask in bar:
        features = features.to(device, non_blocking=True)
        mask = mask.to(device, non_blocking=True)
        outputs = model(encoder(features, mask))
        loss = criterion(outputs)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        shape = torch.tensor(outputs.shape, device=device)  #! TRN207
        dist.send(shape, 1)
        sizes = shape.tolist()  #! TRN202
        for parameter in model.parameters():
            print(parameter.grad.norm().cpu())  #! TRN202
        bar.set_postfix(outputs=outputs.mean().cpu(), sizes=sizes)  #! TRN202
        to_number(loss)
