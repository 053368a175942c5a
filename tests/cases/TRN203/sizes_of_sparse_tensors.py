"""How many values a sparse tensor holds, and how many rows, is known on the host; what they add up to is not."""

import torch


def train(model, loader, optimizer):
    for batch in loader:
        links = batch.cuda()  #! TRN205
        loss = model(links)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if links.nnz() > 0:
            model.count(links)
        rows = links.sparse_size(0)
        if rows > 1:
            model.count(links)
        if links._nnz():
            model.count(links)
        if links.sum() > 0:  #! TRN203
            model.count(links)
