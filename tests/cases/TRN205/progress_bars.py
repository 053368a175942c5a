"""Batches that come through a progress bar are the loader's."""

from progressbar import progressbar
from torch.utils.data import DataLoader
from tqdm.auto import tqdm


def with_progressbar2(model, criterion, optimizer, dataset):
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4, pin_memory=True)
    for x, y in progressbar(loader):
        x, y = x.to("cuda"), y.to("cuda")  #! TRN205 TRN205
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def chosen_by_a_condition(model, criterion, optimizer, dataset, shown):
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4, pin_memory=True)
    bar = tqdm(enumerate(loader), total=len(loader)) if shown else enumerate(loader)
    for step, (x, y) in bar:
        x, y = x.to("cuda"), y.to("cuda")  #! TRN205 TRN205
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
