"""Copies of batches whose result is dropped."""


def train_without_effect(model, optimizer, loader):
    model = model.cuda()
    for _, (inputs, targets) in enumerate(loader):
        inputs.cuda()  #! TRN216
        loss = (model(inputs) - targets).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
