"""Barriers in helpers that training steps call, and in helpers that they do not."""


class Trainer:
    def __init__(self, accelerator, model, optimizer, loader):
        self.accelerator = accelerator
        self.model, self.optimizer, self.loader = model, optimizer, loader

    def meet(self):
        return self.accelerator.wait_for_everyone()  #! TRN505

    def meet_after_epoch(self):
        return self.accelerator.wait_for_everyone()

    def train(self):
        for batch in self.loader:
            loss = self.model(batch)
            self.accelerator.backward(loss)
            self.meet()
            self.optimizer.step()
            self.optimizer.zero_grad()
        self.meet_after_epoch()
