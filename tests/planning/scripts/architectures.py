"""Eight small models of well-known kinds."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

_VOCABULARY, _TOKENS, _WIDTH, _HEADS = 50, 24, 64, 4


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 128), nn.GELU(), nn.Linear(128, 10))


class _Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first, self.second = (nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in range(2))
        self.norms = nn.ModuleList(nn.BatchNorm2d(channels) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        inner = functional.relu(self.norms[0](self.first(x)))
        return functional.relu(x + self.norms[1](self.second(inner)))


def resnet() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1),
        _Residual(16),
        nn.MaxPool2d(2),
        _Residual(16),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(16, 10),
    )


class _Block(nn.Module):
    """A layer of a transformer, with its norms first."""

    def __init__(self, *, causal: bool) -> None:
        super().__init__()
        self.causal = causal
        self.norm_1, self.norm_2 = nn.LayerNorm(_WIDTH), nn.LayerNorm(_WIDTH)
        self.heads, self.out = nn.Linear(_WIDTH, 3 * _WIDTH), nn.Linear(_WIDTH, _WIDTH)
        self.inner = nn.Sequential(nn.Linear(_WIDTH, 4 * _WIDTH), nn.GELU(), nn.Linear(4 * _WIDTH, _WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        batch, tokens, width = x.shape
        parts = self.heads(self.norm_1(x)).view(batch, tokens, 3, _HEADS, width // _HEADS).permute(2, 0, 3, 1, 4)
        query, key, value = parts.unbind(0)
        attended = functional.scaled_dot_product_attention(query, key, value, is_causal=self.causal)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, tokens, width))
        return x + self.inner(self.norm_2(x))


class _Language(nn.Module):
    def __init__(self, *, causal: bool, experts: int = 0) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(_VOCABULARY, _WIDTH), nn.Embedding(_TOKENS, _WIDTH)
        self.layers = nn.ModuleList(_Block(causal=causal) for _ in range(3))
        self.experts = _Experts(experts) if experts else None
        self.norm, self.head = nn.LayerNorm(_WIDTH), nn.Linear(_WIDTH, _VOCABULARY)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        for layer in self.layers:
            x = layer(x)
        if self.experts is not None:
            x = x + self.experts(x)
        return self.head(self.norm(x))


class _Experts(nn.Module):
    """Two of several experts for each token, by weights of a gate; all experts run, so that shapes are fixed."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.gate = nn.Linear(_WIDTH, count)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(_WIDTH, 96), nn.SiLU(), nn.Linear(96, _WIDTH)) for _ in range(count)
        )

    def forward(self, x: Tensor) -> Tensor:
        weights, chosen = self.gate(x).softmax(-1).topk(2, dim=-1)
        gates = torch.zeros_like(self.gate(x)).scatter(-1, chosen, weights)
        return sum(
            (gates[..., index, None] * expert(x) for index, expert in enumerate(self.experts)), torch.zeros_like(x)
        )


def gpt() -> nn.Module:
    return _Language(causal=True)


def bert() -> nn.Module:
    return _Language(causal=False)


def mixture_of_experts() -> nn.Module:
    return _Language(causal=True, experts=4)


def vit() -> nn.Module:
    return nn.Sequential(
        _Patches(), *(_Block(causal=False) for _ in range(3)), nn.LayerNorm(_WIDTH), nn.Linear(_WIDTH, 10)
    )


class _Patches(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cut = nn.Conv2d(3, _WIDTH, 8, stride=8)

    def forward(self, x: Tensor) -> Tensor:
        return self.cut(x).flatten(2).transpose(1, 2)


class _UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList([nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 32, 3, padding=1)])
        self.up = nn.ConvTranspose2d(32, 16, 2, stride=2)
        self.norm, self.last = nn.GroupNorm(4, 32), nn.Conv2d(32, 1, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        wide = functional.silu(self.down[0](x))
        deep = functional.silu(self.down[1](functional.avg_pool2d(wide, 2)))
        return self.last(functional.silu(self.norm(torch.cat([wide, self.up(deep)], dim=1))))


def unet() -> nn.Module:
    return _UNet()


class _Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cells, self.head = nn.LSTM(16, 32, 2, batch_first=True), nn.Linear(32, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.cells(x)[0][:, -1])


def lstm() -> nn.Module:
    return _Recurrent()
