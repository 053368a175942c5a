"""A toy training for each rule with a SAFE fix, in the form that the rule finds.

`train(device)` or `train()` returns the model. `PROCESSES` train on two ranks of gloo, in `test_bit_for_bit.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.rules import (
    test_fixes_keep_training_api,
    test_fixes_keep_training_data,
)
from trainlint.finding import Safety
from trainlint.rule import Rule


@dataclass(frozen=True, slots=True)
class Toy:
    """One training, and what to expect of it."""

    text: str


LOOP = """
    torch.manual_seed(5)
    model = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for step in range(5):
        inputs = torch.randn(3, 4)
{body}
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model
"""


def training(body: str, head: str = "import torch\n") -> str:
    """A program that trains with these lines in its step."""
    lines = "".join(f"        {line}\n" for line in body.splitlines()).rstrip()
    return f"{head}\n\ndef train():" + LOOP.format(body=lines)


AMP = training(
    "with torch.cpu.amp.autocast(True, torch.bfloat16):\n    loss = model(inputs).square().mean()",
)
NUMBERS = """
import torch


def train():
    torch.manual_seed(5)
    model = torch.nn.Linear(4, 2)
    mean = torch.zeros_like(model.weight)
    for step in range(5):
        model(torch.randn(3, 4)).square().mean().backward()
        with torch.no_grad():
            mean.mul_(0.9).add_(0.1, model.weight.grad)
            model.weight.data.add_(-0.5, mean)
            model.weight.data.addcdiv_(-0.01, mean, mean.abs().add_(1.0))
        model.zero_grad()
    return model
"""
MEMORY = training(
    "loss = model(inputs).square().mean()\nprint(torch.cuda.memory_cached(), torch.cuda.max_memory_cached())"
)
PRETRAINED = training(
    "extra = models.resnet18(pretrained=step % 2 == 0) if step > 2 else models.resnet18(pretrained=True)\n"
    "loss = model(inputs).square().mean() + extra(inputs).mean()",
    "import torch\nfrom torchvision import models\n",
).replace("models.resnet18(pretrained=step % 2 == 0) if step > 2 else ", "")
SILENCED = training("loss = model(inputs).square().mean()  # trainlint: ignore[TRN201]")
_COLLECTIVE = """

def train():
    torch.manual_seed(dist.get_rank())
    model = torch.nn.Linear(4, 4, bias=False)
    for _ in range(3):
        whole = torch.empty(2 * 16)
        whole = gather_weights(whole, model.weight.detach().flatten(), None)
        model.weight.data.mul_(0.5).add_(whole.view(2, 4, 4).mean(0))
    return model
"""
TOYS: dict[str, list[Toy]] = {
    "TRN002": [Toy(SILENCED)],
    "TRN801": [Toy(AMP)],
    "TRN812": [Toy(MEMORY)],
    "TRN808": [Toy(PRETRAINED)],
    "TRN818": [Toy(NUMBERS)],
}
_TRAINED_ELSEWHERE_TOO: list[tuple[type[Rule], str]] = [
    *((rule, text) for rule, text, _, _ in test_fixes_keep_training_api.FIXES if rule.fix_safety is Safety.SAFE),
    *((rule, text) for rule, text, _ in test_fixes_keep_training_data.FIXES if rule.fix_safety is Safety.SAFE),
]
for _rule, _text in _TRAINED_ELSEWHERE_TOO:
    TOYS.setdefault(_rule.code, []).append(Toy(_text))

_GATHERING = """
import torch.distributed as dist


def gather_weights(flat, shard, group):
    dist._all_gather_base(flat, shard, group=group)
    return flat
"""
PROCESSES: dict[str, Toy] = {
    "TRN812": Toy("import torch\n" + _GATHERING + _COLLECTIVE),
}
