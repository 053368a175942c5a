"""Retrieval and classification on held-out pictures."""

import torch
from torch import nn
from torchvision.io import read_image


def retrieval(model, loader, device):
    """How often a picture finds its own caption first."""
    model.eval()
    pictures, captions = [], []
    for images, tokens in loader:
        images = images.to(device, non_blocking=True)
        tokens = tokens.to(device, non_blocking=True)
        picture, caption, _ = model(images, tokens)  #! TRN303
        pictures.append(picture.detach().cpu())
        captions.append(caption.detach().cpu())
    similarity = torch.cat(pictures) @ torch.cat(captions).t()
    hits = similarity.argmax(1) == torch.arange(len(similarity))
    return hits.float().mean()


@torch.no_grad()
def predictions(model, loader, device):
    """The scores of all pictures."""
    model.eval()
    kept = []
    for images, _ in loader:
        scores = model(images.to(device, non_blocking=True))
        kept.append(scores)
    return torch.cat(kept).argmax(dim=1)


def confusion(scores, labels, classes):
    """Which share of each class is taken for which other, as an array."""
    matrix = torch.zeros(classes, classes, device="cuda")
    matrix.index_put_((labels, scores.argmax(1)), torch.ones((), device="cuda"), accumulate=True)
    totals = torch.tensor(matrix.sum(1, keepdim=True))  #! TRN416
    on_host = (matrix / totals).to("cpu", non_blocking=True)
    return on_host.numpy()


def score_file(model: nn.Module, path):
    """The scores of one picture."""
    image = read_image(path)
    return model(image.float().cuda().unsqueeze(0) / 255)


def linear_probe(head, criterion, feature_loader):
    """Train a linear head on features that are kept."""
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1, momentum=0.9, fused=True)
    for features, labels in feature_loader:
        features = features.cuda(non_blocking=True)
        labels = labels.cuda(non_blocking=True)
        loss = criterion(head(features), labels)
        loss.backward()  #! TRN605
        optimizer.step()
