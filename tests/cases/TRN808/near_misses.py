"""The new argument, and models from elsewhere."""

import timm
import torch
import torchvision.models as models
from torchvision.models import ResNet50_Weights, resnet50

from . import resnet


def build(name, pretrained):
    first = models.resnet18(weights="IMAGENET1K_V1")
    second = resnet50(weights=ResNet50_Weights.DEFAULT if pretrained else None)
    third = timm.create_model(name, pretrained=pretrained)
    fourth = resnet.resnet18(pretrained=True)
    fifth = torch.hub.load("pytorch/vision", "resnet18", pretrained=True)
    sixth = models.__dict__[name](weights=None)
    seventh = models.get_model(name, weights="DEFAULT")
    eighth = models.resnet18(pretrained=None, weights="DEFAULT")
    return first, second, third, fourth, fifth, sixth, seventh, eighth, getattr(models, name)()


class ResNet(models.ResNet):
    def __init__(self, pretrained=True):
        super().__init__(models.resnet.BasicBlock, [2, 2, 2, 2])
        if pretrained:
            self.load_state_dict(models.resnet18(weights="DEFAULT").state_dict())


def on_older_versions():
    try:
        return models.inception_v3(weights=None, init_weights=False)
    except TypeError:
        return models.inception_v3(pretrained=False)
