"""Attention as it was written before there was a function for it."""

import math

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import einsum, nn


class Causal(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads = config.heads
        self.project = nn.Linear(config.width, 3 * config.width)
        self.attn_dropout = nn.Dropout(config.dropout)
        mask = torch.tril(torch.ones(config.length, config.length))
        self.register_buffer("past", mask.view(1, 1, config.length, config.length))

    def forward(self, x):
        batch, length, width = x.size()
        q, k, v = self.project(x).split(width, dim=2)
        k = k.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
        q = q.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
        v = v.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.past[:, :, :length, :length] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)  #! TRN701
        att = self.attn_dropout(att)
        y = att @ v
        return y.transpose(1, 2).contiguous().view(batch, length, width)


class Encoder(nn.Module):
    def __init__(self, heads, width):
        super().__init__()
        self.heads, self.width = heads, width
        self.softmax = nn.Softmax(dim=-1)
        self.dropout = nn.Dropout(0.1)

    def forward(self, query_layer, key_layer, value_layer, attention_mask=None):
        scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        scores = scores / math.sqrt(self.width)
        if attention_mask is not None:
            scores = scores + attention_mask
        probabilities = self.softmax(scores)  #! TRN701
        probabilities = self.dropout(probabilities)
        context = torch.matmul(probabilities, value_layer)
        return context.permute(0, 2, 1, 3).contiguous()

    def upcast(self, q, k, v):
        probabilities = nn.Softmax(dim=-1)(torch.matmul(q, k.transpose(-1, -2)).float()).to(q.dtype)  #! TRN701
        return torch.matmul(probabilities, v)


class Cross(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, q, k, v, mask=None):
        q, k, v = (rearrange(t, "b n (h d) -> (b h) n d", h=8) for t in (q, k, v))
        sim = einsum("b i d, b j d -> b i j", q, k) * self.scale
        if mask is not None:
            sim.masked_fill_(~mask, -torch.finfo(sim.dtype).max)
        attn = sim.softmax(dim=-1)  #! TRN701
        out = einsum("b i j, b j d -> b i d", attn, v)
        return rearrange(out, "(b h) n d -> b n (h d)", h=8)


def of_images(qkv, channels):
    q, k, v = torch.split(qkv, channels, dim=1)
    scale = 1 / math.sqrt(math.sqrt(channels))
    weight = torch.einsum("bct,bcs->bts", q * scale, k * scale)
    weight = torch.softmax(weight.float(), dim=-1).type(weight.dtype)  #! TRN701
    return torch.einsum("bts,bcs->bct", weight, v)


def of_all_places(theta, phi, values):
    theta = theta.flatten(2).permute(0, 2, 1)
    weights = torch.bmm(theta, phi.flatten(2))
    weights = F.softmax(weights, dim=2)  #! TRN701
    return torch.bmm(values.flatten(2), weights.permute(0, 2, 1))
