"""How a picture becomes a row of patches."""

from torch import nn


class Stem(nn.Module):
    """Convolutions that turn a picture into patches."""

    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 64, 7, stride=4, padding=3),
            nn.BatchNorm2d(64),
            nn.ReLU(inplace=True),
            nn.Conv2d(64, width, 4, stride=4),
        )
        for layer in self.layers:
            if isinstance(layer, nn.Conv2d):
                nn.init.kaiming_normal(layer.weight, mode="fan_out")  #! TRN812

    def forward(self, images):
        return self.layers(images).flatten(2).transpose(1, 2)
