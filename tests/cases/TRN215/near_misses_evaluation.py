"""A loss that is reduced while autograd is off."""

import torch
import torch.distributed as dist


def train(model, teacher, criterion, optimizer, train_loader, writer, device):
    for step, inputs in enumerate(train_loader):
        inputs = inputs.to(device, non_blocking=True)
        loss = criterion(model(inputs))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            teacher_loss = criterion(teacher(inputs))
            dist.all_reduce(teacher_loss)
            writer.add_scalar("teacher_loss", teacher_loss, step)  #! TRN203
