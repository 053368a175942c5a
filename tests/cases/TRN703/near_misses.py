"""Weights that are wanted, or not computed."""

from torch import nn


class MultiheadAttention(nn.Module):
    """A class of the same name, which returns what it likes."""

    def forward(self, x):
        return x, x


class Asked(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, 4)
        self.other = nn.MultiheadAttention(width, 4)

    def forward(self, x, **options):
        first, _ = self.attention(x, x, x, need_weights=False)
        second = self.attention(x, x, x, None, False)[0]
        third = self.other(x, x, x, **options)[0]
        return first + second + third


class Read(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, 4)
        self.weights = None

    def forward(self, x):
        attended, weights = self.attention(x, x, x)
        return attended, weights

    def kept(self, x):
        attended, self.weights = self.attention(x, x, x)
        return attended

    def only_weights(self, x):
        return self.attention(x, x, x)[1]

    def both(self, x):
        return self.attention(x, x, x)


class SameName(nn.Module):
    """Another class's attribute."""

    def __init__(self, attention):
        super().__init__()
        self.attention = attention

    def forward(self, x):
        return self.attention(x, x, x)[0]


class Chosen(nn.Module):
    def __init__(self, width, fast):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, 4)
        if fast:
            self.attention = MultiheadAttention()

    def forward(self, x):
        return self.attention(x)[0]


class Either(nn.Module):
    def __init__(self, width, fused):
        super().__init__()
        self.fused = fused
        self.attention = nn.MultiheadAttention(width, 4)

    def forward(self, x):
        if self.fused:
            return self.attention(x)[0]
        return self.attention(x, x, x, need_weights=False)[0]
