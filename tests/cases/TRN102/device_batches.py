"""Batches of the device."""

import torch
from torch.utils.data import DataLoader, Dataset


class Sentences(Dataset):
    def __init__(self, rows, device):
        self.rows = rows
        self.device = device

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, number):
        return self.rows[number]

    def together(self, rows):
        words = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
        return {"words": words.to(self.device)}


def onto(device):
    def collate(rows):
        return torch.stack(rows).to(device)

    return collate


def as_double(samples):
    return torch.stack(samples).to(torch.float64)


def train(model, criterion, optimizer, rows, device):
    sentences = Sentences(rows, device)
    for loader in (
        DataLoader(sentences, batch_size=32, shuffle=True, collate_fn=sentences.together),
        DataLoader(sentences, batch_size=32, shuffle=True, collate_fn=onto(device)),
    ):
        for batch in loader:
            loss = criterion(model(batch))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def train_on_numbers(model, criterion, optimizer, rows, device):
    loader = DataLoader(rows, batch_size=32, shuffle=True, num_workers=4, collate_fn=as_double)  #! TRN102
    for batch in loader:
        loss = criterion(model(batch.to(device, non_blocking=True)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
