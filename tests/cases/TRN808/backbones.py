"""Backbones by torchvision's old arguments."""

import torchvision
import torchvision.models as models
from torchvision.models import vgg16
from torchvision.models.detection import fasterrcnn_resnet50_fpn, maskrcnn_resnet50_fpn
from torchvision.models.segmentation import deeplabv3_resnet101


class Perceptual:
    def __init__(self):
        self.features = vgg16(True).features.eval()  #! TRN808
        self.other = torchvision.models.resnet34(pretrained=self.start)  #! TRN808


def detectors(classes, name):
    first = fasterrcnn_resnet50_fpn(pretrained=False, pretrained_backbone=True, num_classes=classes)  #! TRN808
    second = maskrcnn_resnet50_fpn(num_classes=classes, pretrained_backbone=False)  #! TRN808
    third = deeplabv3_resnet101(pretrained=True, progress=False)  #! TRN808
    fourth = getattr(models, name)(pretrained=True)  #! TRN808
    fifth = models.quantization.resnet18(pretrained=True, quantize=True)  #! TRN808
    return first, second, third, fourth, fifth
