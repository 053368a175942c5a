"""The figures that TRN509 states, and the size from which on it states them."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import DEFAULT, source
from trainlint.engine.judge import judge
from trainlint_rules.distributed.ddp_of_large_model import DdpOfLargeModel

SCRIPT = """\
import torch
from torch.nn.parallel import DistributedDataParallel
from transformers import AutoModelForCausalLM, GPT2Config, GPT2LMHeadModel


def main(loader, rank):
    model = DistributedDataParallel({model}, device_ids=[rank])
    optimizer = torch.optim.{optimizer}
    for batch in loader:
        model(**batch).loss.backward()
        optimizer.step()
"""
LLAMA = 'AutoModelForCausalLM.from_pretrained("meta-llama/Llama-2-7b-hf"{more}).to(rank)'
GPT2_OF_LAYERS = "GPT2LMHeadModel(GPT2Config(n_embd=1600, n_layer={})).to(rank)"
ADAM = "AdamW(model.parameters())"


def messages(model: str, optimizer: str = ADAM) -> list[str]:
    text = SCRIPT.format(model=model, optimizer=optimizer)
    return [finding.message for finding in judge(source(text), [DdpOfLargeModel()], DEFAULT).findings]


@pytest.mark.parametrize(
    ("more", "optimizer", "figures"),
    [
        ("", ADAM, "about 7.0 billion parameters (by \"meta-llama/Llama-2-7b-hf\") at 16 bytes each with AdamW are"),
        ("", "SGD(model.parameters(), lr=0.1, momentum=0.9)", "at 12 bytes each with SGD are 84 GB"),
        ("", "SGD(model.parameters(), lr=0.1)", "at 8 bytes each with SGD are 56 GB"),
        (", torch_dtype=torch.bfloat16", ADAM, "at 8 bytes each with AdamW are 56 GB"),
        (', dtype="bfloat16"', ADAM, "at 8 bytes each with AdamW are 56 GB"),
    ],
)  # fmt: skip
def test_the_figures_follow_types_and_optimizer(more: str, optimizer: str, figures: str) -> None:
    (message,) = messages(LLAMA.format(more=more), optimizer)
    assert figures in message


def test_a_share_of_eight_is_stated() -> None:
    (message,) = messages(LLAMA.format(more=""))
    assert message.endswith("`fully_shard` over 8 GPUs keeps 14 GB")


def test_states_are_large_from_half_of_a_gpu_of_80_gb_on() -> None:
    assert messages(GPT2_OF_LAYERS.format(76)) == []
    (message,) = messages(GPT2_OF_LAYERS.format(80))
    assert "2.5 billion parameters (by `GPT2Config`) at 16 bytes each with AdamW are 41 GB" in message


@pytest.mark.parametrize(
    "more", [", load_in_8bit=True", ', device_map="auto"', ", quantization_config=BitsAndBytesConfig()"]
)
def test_nothing_is_said_of_what_is_quantised_or_spread(more: str) -> None:
    assert messages(LLAMA.format(more=more)) == []
