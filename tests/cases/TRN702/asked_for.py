"""Models that are loaded with the slow attention."""

import torch
from transformers import AutoConfig, AutoModelForCausalLM


def load(name):
    config = AutoConfig.from_pretrained(name)
    fresh = AutoModelForCausalLM.from_config(config, attn_implementation="eager")  #! TRN702
    trained = AutoModelForCausalLM.from_pretrained(
        name,
        torch_dtype=torch.bfloat16,
        attn_implementation="eager",  #! TRN702
    )
    return fresh, trained
