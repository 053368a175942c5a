"""With autograd on the list keeps the graphs as well, which TRN303 and TRN304 report."""


def evaluate(model, loader):
    model.eval()
    outputs = []
    for images in loader:
        outputs.append(model(images.cuda(non_blocking=True)))  #! TRN303 TRN304
    return outputs
