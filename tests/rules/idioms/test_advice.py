"""What the rules about waits and copies advise, by what becomes of the value."""

from __future__ import annotations

import textwrap

import pytest

from tests.rules.catalogue import judged

PROGRAM = """
import numpy as np
import torch
from tqdm import tqdm


def train(model, loader, optimizer, meters):
    bar = tqdm(loader)
    for frames in bar:
        loss = model(frames.cuda(non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
{0}
        optimizer.step()
"""
HELP = {
    "if torch.isnan(loss):\n    raise ValueError('nan')": "write `if step % 100 == 0 and torch.isnan(loss):`",
    "if torch.isnan(loss) or loss is None:\n    raise ValueError('{}')": "and (torch.isnan(loss) or loss is None):`",
    "assert torch.isfinite(loss)": "write `assert step % 100 or torch.isfinite(loss)`: NaN weights stay NaN",
    "if torch.isnan(loss):\n    continue": "`GradScaler` skips such steps, and `p.grad.nan_to_num_(0.0, 0.0, 0.0)`",
    "if not torch.isfinite(loss):\n    loss = torch.nan_to_num(loss)": "write `x = torch.where(x.isfinite(), x, 0.0)`",
    "if loss > 100:\n    raise ValueError('large')": "`torch._assert_async`",
    "for p in model.parameters():\n    meters.add(p.grad.norm().item())": "`clip_grad_norm_` returns the norm",
    "for p in model.parameters():\n    meters.add(p.abs().max().item())": "waits once for each parameter",
    "bar.set_postfix(loss=loss.item())": "update the bar every N steps",
    "bar.set_description(f'{loss:.3f}')": "update the bar every N steps",
    "bar.set_postfix({'loss': loss.cpu()})": "update the bar every N steps",
    "print(loss.item())": "print or log it every N steps",
    "found = {}\nfound['loss'] = loss.item()": "keep `loss.detach()`, and read all metrics when you log",
    "if loss > 100:\n    continue": "test a value that the CPU has, such as a count made in the collate function",
    "meters.add(loss.item())": "read all metrics when you log",
}


@pytest.mark.parametrize("code", HELP)
def test_the_help_fits_what_becomes_of_the_value(code: str) -> None:
    findings = judged(PROGRAM.format(textwrap.indent(code, " " * 8))).findings
    [said] = [item.help or "" for item in findings if item.code.startswith("TRN2")]
    assert HELP[code] in said
