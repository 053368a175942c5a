"""What looks like a blocking copy of a batch, and is none."""

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def asynchronous(model, ema, optimizer, train_loader, device, args):
    model.to(device)
    ema = ema.to(device)
    for step, (inputs, targets, weights) in enumerate(train_loader):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.cuda(args.gpu, non_blocking=True)
        weights = weights.to(device, torch.float32, non_blocking=args.non_blocking)
        inputs = inputs.to(torch.bfloat16).to(memory_format=torch.channels_last)
        loss = (F.cross_entropy(model(inputs), targets, reduction="none") * weights.to(inputs.dtype)).mean()
        loss = loss.to(device)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 500 == 0:
            ema.to(device).load_state_dict(model.state_dict())


def prepared(model, optimizer, dataset):
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=8, num_workers=4, pin_memory=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        batch = {name: tensor.to(accelerator.device) for name, tensor in batch.items()}
        loss = model(**batch).loss
        optimizer.zero_grad()
        accelerator.backward(loss)
        optimizer.step()


def play(agent, env, device, steps):
    """A simulator's answers come from NumPy and are not pinned."""
    observation = env.reset()
    for _ in range(steps):
        action = agent(torch.as_tensor(observation).to(device))
        observation, _, _, _ = env.step(action)


def show_once(model, loader, device):
    images, _ = next(iter(loader))
    return model(images.to(device))


class Pipeline(nn.Module):
    """Two halves of a model on two devices."""

    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first.to("cuda:0"), second.to("cuda:1")

    def forward(self, x):
        return self.second(self.first(x).to("cuda:1"))
