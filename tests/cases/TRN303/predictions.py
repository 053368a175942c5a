"""Predictions and previews outside of loops over a loader."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable
from torchvision.utils import make_grid, save_image


class Restorer:
    def __init__(self, network, optimizer, device):
        self.network, self.optimizer, self.device = network.to(device), optimizer, device

    def optimize(self, batch):
        self.restored = self.network(batch)
        loss = F.l1_loss(self.restored, batch)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def test(self):
        self.network.eval()
        self.restored = self.network(self.low)  #! TRN303
        self.network.train()

    def test_without_graph(self):
        self.network.eval()
        with torch.no_grad():
            self.restored = self.network(self.low)
        self.network.train()

    def saliency(self):
        self.network.eval()
        slope = torch.autograd.grad(self.network(self.low).mean(), self.low)[0]
        self.network.train()
        return slope

    def adapt(self):
        """Trains under `eval()` so that batch statistics stay as they are."""
        self.network.eval()
        loss = self.network(self.low).mean()
        loss.backward()
        self.optimizer.step()
        self.network.train()


class OldRestorer:
    def __init__(self, body):
        self.body = body

    def test(self):
        self.body.eval()
        for _, parameter in self.body.named_parameters():  #! TRN303
            parameter.requires_grad = False
        self.restored = self.body(self.low)
        for _, parameter in self.body.named_parameters():
            parameter.requires_grad = True
        self.body.train()


def preview(generator, noise, path):
    generator.eval()
    images = generator(noise)  # POSSIBLE: a caller may have switched autograd off
    images = make_grid(images, nrow=5)
    save_image(torch.cat((images, images), 1), path)


def predict(network, image, device):
    logits = network(image.unsqueeze(0).to(device))  # POSSIBLE
    return F.softmax(logits, dim=1).detach().cpu().numpy()[0]


def predict_old(network, left, right):
    left = Variable(left, volatile=True).cuda()  #! TRN303
    right = Variable(right, volatile=True).cuda()
    return F.sigmoid(network(left)) + F.sigmoid(network(right))


def predict_all(network, images):
    found = []
    for image in images:
        output = network(image)  # POSSIBLE
        found.append(output.argmax(1).item())
    return found


def embed(network, image):
    """The caller may want gradients."""
    network.eval()
    return network(image)


def hand_on(network, image, learner):
    output = network(image)
    learner.observe(output)
    return output.argmax(1).item()


def keep(network, image, store):
    output = network(image)
    store["output"] = [part * 2 for part in output]
    print(output.argmax(1).item())
    return store["output"]


def warm_up(network, image):
    network.eval()
    network(image)
    network.train()


def sum_of_parts(network, images, optimizer):
    outputs = network(images)
    hits = outputs.logits.argmax(1).item()
    loss = outputs.loss
    loss.backward()
    optimizer.step()
    return hits


@torch.no_grad()
def predict_decorated(network, image):
    return network(image).argmax(1).item()


def train(network, optimizer, loader, device):
    for images, labels in loader:
        logits = network(images.to(device, non_blocking=True))
        loss = F.cross_entropy(logits, labels.to(device, non_blocking=True))
        hits = (logits.argmax(1) == labels.to(device, non_blocking=True)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return hits


class Head(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        self.linear = nn.Linear(8, 2)

    def forward(self, images):
        self.backbone.eval()
        features = self.backbone(images)
        return self.linear(features)

    def rank(self, images):
        """Who calls this decides whether autograd is on."""
        output = self.linear(self.backbone(images))
        return output.argmax(1).tolist()
