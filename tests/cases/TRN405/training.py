"""Backward passes under a context for the forward."""

from torch.cuda.amp import GradScaler, autocast  #! TRN801


def train(model, criterion, optimizer, loader):
    scaler = GradScaler()
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        targets = targets.cuda(non_blocking=True)
        optimizer.zero_grad()
        with autocast():
            loss = criterion(model(inputs), targets)
            scaler.scale(loss).backward()  #! TRN405
            scaler.step(optimizer)
            scaler.update()
