"""Accelerate and DeepSpeed divide the loss themselves."""


def train(model, criterion, optimizer, accelerator, loader, accumulation):
    for step, (inputs, targets) in enumerate(loader):
        loss = criterion(model(inputs), targets)
        accelerator.backward(loss)  #! TRN510
        if (step + 1) % accumulation == 0:
            optimizer.step()
            optimizer.zero_grad()
