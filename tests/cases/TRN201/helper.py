"""The read stands in a helper that the training loop calls."""

import torch


class Trainer:
    def __init__(self, model, data, optimizer):
        self.model = model.cuda()
        self.data = data
        self.optimizer = optimizer

    def fit(self, total):
        done = 0
        while done < total:
            self.run_one(next(self.data))
            done += 1

    def run_one(self, batch):
        self.optimizer.zero_grad()
        loss = self.model(batch.cuda(non_blocking=True)).mean()
        loss.backward()
        self.optimizer.step()
        self.norm_of_gradients()

    def norm_of_gradients(self):
        squares = 0.0
        for parameter in self.model.parameters():
            squares += (parameter.grad**2).sum().item()  #! TRN201
        return squares**0.5
