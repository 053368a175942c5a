"""Pretraining of the text tower on captions, on one GPU:  python pretrain_text.py captions.jsonl held_out.jsonl"""

import os
import sys

import torch
from apex import amp
from torch import nn

from caption.data import tokenizer, web_loader
from caption.model import TextTower

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segment:True"


class MaskedText(nn.Module):
    """Guesses words that were hidden."""

    def __init__(self, width=768):
        super().__init__()
        self.tower = TextTower(width)
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(width, tokenizer.vocab_size)

    def forward(self, tokens):
        return self.head(self.dropout(self.tower(tokens)))


def hide(tokens, share=0.15):
    """Tokens of which some are hidden, and what stood there."""
    hidden = torch.rand(tokens.shape) < share
    hidden.to(tokens.device)  #! TRN216
    labels = tokens.masked_fill(~hidden, -100)
    return tokens.masked_fill(hidden, tokenizer.mask_token_id), labels


def main(path, held_out):
    torch.set_default_tensor_type("torch.cuda.FloatTensor")
    model = MaskedText().cuda()
    amp.initialize(model, opt_level="O1")  #! TRN817
    criterion = nn.CrossEntropyLoss()  # trainlint: ignore[TRN814]  #! TRN002
    for captions in web_loader(path, 128):
        encoded = tokenizer(captions, truncation=True, padding=True, return_tensors="pt")
        tokens, labels = hide(encoded["input_ids"].cuda(non_blocking=True))
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
        loss = criterion(model(tokens).flatten(0, 1), labels.flatten())  #! TRN705
        optimizer.zero_grad()
        with amp.scale_loss(loss, optimizer) as scaled_loss:  #! TRN817
            scaled_loss.backward()
        optimizer.step()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    right = torch.zeros((), device="cuda")  # trainlint: ignore[TRN299] once only  #! TRN003
    test_loader = web_loader(held_out, 128)
    with torch.no_grad():
        for captions in test_loader:
            encoded = tokenizer(captions, truncation=True, padding=True, return_tensors="pt")
            tokens, labels = hide(encoded["input_ids"].cuda(non_blocking=True))
            right += (model(tokens).argmax(-1) == labels).sum()
    print(right)


if __name__ == "__main__":
    main(*sys.argv[1:])
