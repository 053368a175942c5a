"""The same with rich, whose fields become text on each update."""

from rich.progress import Progress


def train(model, criterion, optimizer, train_loader, device):
    with Progress() as progress:
        task = progress.add_task("training", total=len(train_loader))
        for inputs, targets in train_loader:
            inputs = inputs.to(device, non_blocking=True)
            targets = targets.to(device, non_blocking=True)
            loss = criterion(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            progress.update(task, advance=1, description=f"loss {loss.item():.3f}")  #! TRN201
