"""The figures that TRN509 states, and the size from which on it states them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.catalogue import STATED, source
from trainlint.engine.judge import judge
from trainlint.finding import Confidence, Finding
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
ADAM = "AdamW(model.parameters())"


def found(model: str, optimizer: str = ADAM) -> tuple[Finding, ...]:
    text = SCRIPT.format(model=model, optimizer=optimizer)
    return judge(source(text), [DdpOfLargeModel()], replace(STATED, min_confidence=Confidence.POSSIBLE)).findings


@pytest.mark.parametrize(
    ("more", "optimizer", "whole", "each"),
    [
        ("", ADAM, "112 GB", "16 bytes each with AdamW"),
        ("", "SGD(model.parameters(), lr=0.1, momentum=0.9)", "84 GB", "12 bytes each with SGD"),
        ("", "SGD(model.parameters(), lr=0.1)", "56 GB", "8 bytes each with SGD"),
        (", torch_dtype=torch.bfloat16", ADAM, "56 GB", "8 bytes each with AdamW"),
        (', dtype="bfloat16"', ADAM, "56 GB", "8 bytes each with AdamW"),
    ],
)
def test_the_figures_follow_types_and_optimizer(more: str, optimizer: str, whole: str, each: str) -> None:
    (finding,) = found(LLAMA.format(more=more), optimizer)
    assert f"keeps {whole} on each GPU" in finding.message
    assert f'about 7.0 billion parameters (by "meta-llama/Llama-2-7b-hf"), {each}' in finding.message


def test_a_share_of_eight_is_stated() -> None:
    (finding,) = found(LLAMA.format(more=""))
    assert finding.help == "use `fully_shard`, which over 8 GPUs keeps 14 GB on each"


def test_states_that_a_gpu_of_80_gb_could_hold_are_not_shown_by_default() -> None:
    (large,) = found(LLAMA.format(more=""))
    (fitting,) = found(LLAMA.format(more=", torch_dtype=torch.bfloat16"))
    assert (large.confidence, fitting.confidence) == (Confidence.LIKELY, Confidence.POSSIBLE)


@pytest.mark.parametrize(
    "more", [", load_in_8bit=True", ', device_map="auto"', ", quantization_config=BitsAndBytesConfig()"]
)
def test_nothing_is_said_of_what_is_quantised_or_spread(more: str) -> None:
    assert found(LLAMA.format(more=more)) == ()
