"""Prints of a hunt for an out-of-memory error, left in the loop. Made up: no live case was found."""

import logging

import pytorch_lightning as pl
import torch
from torch.cuda import memory_stats
from torch.cuda.memory import memory_snapshot

logger = logging.getLogger(__name__)


def train(model, train_loader, optimizer, criterion, device, epochs):
    for _ in range(epochs):
        for data, labels in train_loader:
            optimizer.zero_grad()
            print(torch.cuda.memory_summary())  #! TRN317
            data = data.to(device, non_blocking=True)
            out = model(data)
            print(torch.cuda.memory_summary(device, abbreviated=True))  #! TRN317
            criterion(out, labels.to(device, non_blocking=True)).backward()
            optimizer.step()


class Segmenter(pl.LightningModule):
    def training_step(self, batch, batch_idx):
        logger.debug(torch.cuda.memory_summary())  #! TRN317
        images, masks = batch
        loss = self.criterion(self.net(images), masks)
        self.log("train_loss", loss)
        return loss


def get_peak_memory():
    return memory_stats()["allocated_bytes.all.peak"] / 2**30  #! TRN317


def train_with_peaks(model, loader, optimizer, writer):
    model = model.cuda()
    for step, batch in enumerate(loader):
        loss = model(batch.cuda(non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        writer.add_scalar("peak", get_peak_memory(), step)
        writer.add_scalar("segments", len(memory_snapshot()), step)  #! TRN317
        if torch.cuda.is_available():
            writer.add_scalar("retries", torch.cuda.memory_stats()["num_alloc_retries"], step)  #! TRN317
