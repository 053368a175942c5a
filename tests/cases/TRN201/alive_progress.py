"""The same with alive-progress, whose bars show a text."""

from alive_progress import alive_it


def train(model, criterion, optimizer, train_loader, device):
    shown = alive_it(train_loader)
    for inputs, targets in shown:
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        shown.write(f"loss {loss.item():.3f}")  #! TRN201
