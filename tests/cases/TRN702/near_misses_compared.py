"""Implementations to choose from."""

from transformers import AutoModelForCausalLM


def load(name, fast, choice):
    chosen = AutoModelForCausalLM.from_pretrained(name, attn_implementation=choice)
    if fast:
        return AutoModelForCausalLM.from_pretrained(name, attn_implementation="flash_attention_2"), chosen
    return AutoModelForCausalLM.from_pretrained(name, attn_implementation="eager"), chosen
