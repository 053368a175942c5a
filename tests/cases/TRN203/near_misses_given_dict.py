"""What `set_postfix` is given by position is a dict, also where it comes out of a model's result."""

import torch
from tqdm import tqdm


class Net(torch.nn.Module):
    def forward(self, batch):
        return self.head(batch)


def outcome_of(model, batch):
    return model(batch)


def train(optimizer, loader):
    model = Net().cuda()
    bar = tqdm(loader)
    for batch in bar:
        loss, shown = outcome_of(model, batch.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        shown.update({"rate": rate(), "seen": f"{seen()}"})
        bar.set_postfix(shown)
