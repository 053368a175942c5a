"""Barriers in helpers that training steps call, and in helpers that they do not."""

import torch.distributed as dist


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


def all_here():
    if dist.is_initialized():
        dist.barrier()  #! TRN505


def finish(step):
    all_here()
    return step + 1


def train(model, optimizer, loader, save, every):
    step = 0
    for batch in loader:
        loss = model(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step = finish(step)
        if step % every == 0:
            saved(model, save)


def saved(model, save):
    save(model)
    dist.barrier()


def generated(prompts, engine):
    dist.barrier()
    return engine.generate(prompts)


def train_on_own_text(model, optimizer, loader, engine):
    for batch in loader:
        loss = model(generated(batch, engine))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
