"""A model whose authors recommend the eager implementation in training."""

from transformers import AutoModelForCausalLM


def load():
    return AutoModelForCausalLM.from_pretrained("google/gemma-2-9b", attn_implementation="eager")
