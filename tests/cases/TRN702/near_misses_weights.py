"""Attention maps, which only the eager way gives."""

from transformers import AutoModel


def maps(name, tokens):
    model = AutoModel.from_pretrained(name, attn_implementation="eager")
    return model(**tokens, output_attentions=True).attentions
