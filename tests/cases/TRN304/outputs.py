"""Outputs of training steps in a list."""


def train(model, criterion, optimizer, loader):
    model = model.cuda()
    outputs = []
    for inputs, targets in loader:
        inputs = inputs.cuda(non_blocking=True)
        loss = criterion(model(inputs), targets.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        output = model(inputs.flip(0))
        outputs.append(output)  #! TRN304
    return outputs
