"""Which region of a picture a phrase speaks of."""

import torch
import torch.nn.functional as F
from torch import nn

VOCABULARY = 30522


class PhraseEncoder(nn.Module):
    """A recurrent network over the words of a phrase."""

    def __init__(self, width=512):
        super().__init__()
        self.token = nn.Embedding(VOCABULARY, width)
        self.recurrent = nn.LSTM(width, width, batch_first=True)

    def forward(self, tokens, mask):
        lengths = mask.sum(1).cpu()  #! TRN210
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

    def forward(self, regions, tokens, mask):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            encoded = self.layer(attend(regions))
            phrases = self.phrases(tokens, mask)
            scores = []
            for index in range(encoded.size(0)):
                scores.append((encoded[index] * phrases[index]).sum(-1))
            return torch.stack(scores)


def attend(regions):
    """Each region with what the others of its picture tell it."""
    with torch.backends.cuda.sdp_kernel(enable_flash=True, enable_math=False, enable_mem_efficient=False):  #! TRN812
        return F.scaled_dot_product_attention(regions, regions, regions)
