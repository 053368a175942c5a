"""What comments, docstrings and sentences say is no reason for a rule to stay silent; names in the code are."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import all_rules, judged, stated_for
from trainlint.analysis.tables import signs
from trainlint.analysis.tables.signs import Sign
from trainlint.rule import Rule

TOPICS = ("compute", "attention", "data", "distributed", "memory", "optimizer", "sync")
RULES = [rule for rule in all_rules() if rule.__module__.split(".")[1] in TOPICS]
NAMES = sorted(name for sign in vars(signs).values() if isinstance(sign, Sign) for names in sign for name in names)
TOLD = " ".join([*NAMES, "1 + self.weight", "model.training = False", "@register()"])


def found(rule: type[Rule], text: str) -> int:
    return sum(item.code == rule.code for item in judged(text, rule, config=stated_for(rule)).findings)


def test_a_rule_finds_its_example_whatever_a_comment_says() -> None:
    for rule in RULES:
        example = rule.manual.example
        told = f'"""{TOLD}"""\n# {TOLD}\n{example}\nprint("{TOLD}")\n'
        assert found(rule, told) == found(rule, example) > 0, rule.code


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("TRN112", "import torch_xla"),
        ("TRN112", "from transformer_engine import fp8"),
        ("TRN112", "from diffusers import UNet2DConditionModel"),
        ("TRN306", "graph = torch.cuda.CUDAGraph()"),
        ("TRN306", "parameter.main_grad = None"),
        ("TRN307", 'loss = summed(reduction="sum")'),
        ("TRN307", "def scaled(loss, num_items): ..."),
        ("TRN401", 'parser.add_argument("--amp", action="store_true")'),
        ("TRN401", "def scaled(loss, loss_scale): ..."),
        ("TRN401", "from torch.ao import quantization"),
        ("TRN406", "def switch(*, allow_tf32=True): ..."),
        ("TRN406", "inputs = inputs.double()"),
        ("TRN406", 'weights = load(dtype="int8")'),
        ("TRN408", "def laid_out(image, memory_format): ..."),
        ("TRN509", "weights.requires_grad = False"),
        ("TRN509", "head.requires_grad_(False)"),
        ("TRN509", "from peft import LoraConfig"),
        ("TRN518", 'is_windows = os.name == "nt"'),
        ("TRN518", "small = dist.new_group([0])"),
        ("TRN605", "parameter.grad = None"),
        ("TRN605", "parameters[0].grad.data.zero_()"),
        ("TRN605", "parameter.grad.data = fresh"),
        ("TRN605", "def clear_gradients(): ..."),
    ],
)
def test_a_name_in_the_code_silences_a_rule(code: str, line: str) -> None:
    (rule,) = (item for item in RULES if item.code == code)
    assert found(rule, rule.manual.example) > 0
    assert found(rule, f"{rule.manual.example}\n\n{line}\n") == 0
