"""Small tensors that each step makes on the host first."""

import torch
import torch.nn.functional as F
from torch import nn


class Decoder(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)

    def causal_mask(self, length, device):
        return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1).to(device)  #! TRN207

    def forward(self, x):
        start = torch.zeros(x.shape[0], 1, x.shape[2]).to(x)  #! TRN207
        x = torch.cat([start, x], dim=1)
        places = torch.arange(x.shape[1]).unsqueeze(0).to(x.device)  #! TRN207
        mask = self.causal_mask(x.shape[1], x.device)
        return self.attention(x + places, x, x, attn_mask=mask, need_weights=False)[0]


class BoxLoss(nn.Module):
    def forward(self, boxes, sizes):
        gain = torch.ones(6, device=boxes.device)
        gain[2:] = torch.tensor([4, 4, 4, 4])  #! TRN207
        return F.smooth_l1_loss(boxes * gain, sizes)


def adversarial(generator, critic, optimizer, train_loader, device):
    for real in train_loader:
        real = real.to(device, non_blocking=True)
        valid = torch.ones(real.size(0), 1).to(device)  #! TRN207
        noise = torch.randn(real.size(0), 128).cuda()  #! TRN207
        scale = torch.tensor([0.229, 0.224, 0.225]).to(device)  #! TRN207
        fake = generator(noise) * scale.mean()
        loss = F.binary_cross_entropy_with_logits(critic(fake), valid)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
