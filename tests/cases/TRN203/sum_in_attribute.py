"""A number in an attribute is a tensor on the device once a tensor has been added to it."""

from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, model, dataset, limit):
        self.model = model.cuda()
        self.loader = DataLoader(dataset, batch_size=8, pin_memory=True, num_workers=4, persistent_workers=True)
        self.limit = limit
        self.words = 0
        self.batches = 0

    def train(self, optimizer, epochs):
        for epoch in range(epochs):
            for x, y in self.loader:
                x = x.cuda(non_blocking=True)
                y = y.cuda(non_blocking=True)
                loss = self.model(x, y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                self.batches += 1
                if self.batches > 1000:
                    optimizer.param_groups[0]["lr"] = 1e-4
                self.words += (y >= 0).sum()
                if self.words < self.limit:  #! TRN203
                    optimizer.param_groups[0]["lr"] = 1e-3
