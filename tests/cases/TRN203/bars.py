"""Bars that are told of the loss in each step."""

from tqdm import tqdm, trange


def train(model, criterion, optimizer, train_loader, device):
    bar = tqdm(train_loader)
    total = None
    for inputs, targets in bar:
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        loss = criterion(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total = loss.detach() if total is None else total + loss.detach()
        bar.set_postfix(loss=loss)  #! TRN203
        bar.set_postfix({"loss": float(loss), "total": total.item()})  #! TRN201 TRN203
        bar.set_description("loss %.3f of %d" % (loss, len(train_loader)))  #! TRN203
        bar.set_description(("%10s" * 2 + "%10.4g") % ("loss", "mean", total.mean()))  #! TRN203
        bar.set_postfix_str("{:.3f}".format(loss.item()))  #! TRN201
        tqdm.write(f"loss {loss.detach().cpu().item():.3f}")  #! TRN202


def train_by_steps(model, optimizer, batches, device):
    for _ in (steps := trange(1000)):
        loss = model(next(batches).to(device, non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        steps.set_description(f"loss {loss:.3f}")  #! TRN203
