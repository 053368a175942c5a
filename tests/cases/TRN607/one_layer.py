"""The norms of one layer are few; those of a whole model, also of one from a list of models, are not."""


def train(net, nets, writer, optimizer, criterion, train_loader, device):
    for step, (inputs, targets) in enumerate(train_loader):
        inputs = inputs.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        optimizer.zero_grad()
        criterion(net(inputs), targets).backward()
        optimizer.step()
        head = list(net.children())[-1]
        for name, weight in head.named_parameters():
            writer.keep(name, weight.grad.norm(), step)
        layers = tuple(net.modules())
        for weight in layers[2].parameters():
            writer.keep("third", weight.grad.norm(), step)
        for weight in [*net.children()][0].parameters():
            writer.keep("first", weight.grad.norm(), step)
        for weight in nets[0].parameters():  #! TRN607
            writer.keep("net", weight.grad.norm(), step)
        for weight in net.parameters():  #! TRN607
            writer.keep("all", weight.grad.norm(), step)
