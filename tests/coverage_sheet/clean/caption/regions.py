"""Which region of a picture a phrase speaks of."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

VOCABULARY = 30528  # a multiple of 8: the last six rows are never looked up


class PhraseEncoder(nn.Module):
    """A recurrent network over the words of a phrase."""

    def __init__(self, width=512):
        super().__init__()
        self.token = nn.Embedding(VOCABULARY, width)
        self.recurrent = nn.LSTM(width, width, batch_first=True)

    def forward(self, tokens, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(
            self.token(tokens), lengths, batch_first=True, enforce_sorted=False
        )
        return self.recurrent(packed)[1][0][-1]


class RegionScorer(nn.Module):
    """How well each region goes with its phrase."""

    def __init__(self, width=512):
        super().__init__()
        self.phrases = PhraseEncoder(width)
        self.layer = nn.Linear(width, width).cuda()

    def forward(self, regions, tokens, lengths):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            encoded = self.layer(attend(regions))
            phrases = self.phrases(tokens, lengths)
            return (encoded * phrases.unsqueeze(1)).sum(-1)


def attend(regions):
    """Each region with what the others of its picture tell it."""
    with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION]):
        return F.scaled_dot_product_attention(regions, regions, regions)
