"""A loss function under its short name still makes a tensor."""


def train(model, loader, opt, crit, writer, device):
    for step, (inputs, targets) in enumerate(loader):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        loss = crit(model(inputs), targets)
        opt.zero_grad()
        loss.backward()
        opt.step()
        writer.add_scalar("loss", loss, step)  #! TRN203
