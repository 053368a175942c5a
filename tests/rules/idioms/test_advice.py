"""What the rules about waits advise, by what becomes of the value that the host reads."""

from __future__ import annotations

import textwrap

import pytest

from tests.rules.catalogue import judged

PROGRAM = """
import math
import time
import numpy as np
import torch
from scipy.optimize import linear_sum_assignment
from tqdm import tqdm


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("front", torch.zeros(1, dtype=torch.long))

    def forward(self, x, lens, meters, kept):
        loss = self.layer(x).mean()
        bad = x < 0
{0}
        return loss, x


def keep(meters, value):
    if isinstance(value, torch.Tensor):
        value = value.item()
    meters.add(value)


def train(loader, optimizer, meters, kept, total=0.0):
    model = Model().cuda()
    bar = tqdm(loader)
    for frames, lengths in bar:
        frames = frames.cuda(non_blocking=True)
        lengths = lengths.cuda(non_blocking=True)
        loss, _ = model(frames, lengths, meters, kept)
        optimizer.zero_grad()
        loss.backward()
{1}
        optimizer.step()
"""
SIZE = "take it from the batch before the copy"
LATER = "read all metrics when you log: `torch.stack(values).tolist()`"
LATER_COPY = "read it after the backward pass, or every N steps"
POSITION = "also keep it as a Python number in the object"
COUNT = "remove this check, or base it on a value that is already on the CPU"
COUNTED = "the CPU must know how many rows match"
IN_FORWARD = {
    "n = torch.max(lens).item()\nx = x[:n]": SIZE,
    "x = x.roll(lens[0].item(), dims=0)": SIZE,
    "for i in range(int(lens.max())):\n    x = x + i": SIZE,
    "n = int(torch.max(lens).item())\nx = x[:n]": SIZE,
    "p = int(self.front.item())\nx[p : p + 4] = 0": POSITION,
    "p = int(self.front)\nx = x[p:]": POSITION,
    "row = lens.argmax().item()\nx = x + x[row]": "index all rows at once",
    "row = lens.argmax().item()\nkept.append(kept.rows[row])": "index all rows at once",
    "shown = {name: part.item() for name, part in {'a': loss}.items()}": LATER,
    "n = loss.sum()\nif isinstance(n, torch.Tensor):\n    n = n.item()\nx = x * n": "keep `n` a tensor",
    "kept['n'] = x[{'a': 0}['a']].item()": "keep `x[{'a': 0}['a']].detach()`",
    "n = x[{'a': 0}['a']].item()\nloss = loss / max(n, 1)": "keep `x[{'a': 0}['a']]` a tensor",
    "meters.update(x[{'a': 0}['a']].cpu())": "keep `x[{'a': 0}['a']]` on the GPU",
    "print(loss.item())": "print or log it every N steps",
    "meters.update(loss.item())": LATER,
    "kept['loss'] = loss.item()": LATER,
    "shown = {'loss': loss.item()}": LATER,
    "kept.append(loss.item())": "append `loss.detach()`",
    "rows = []\nrows.append(loss.item())\nmeters.update(rows)": "read the list once, after the loop",
    "n = (x > 0).sum().item()\nloss = loss / max(n, 1)": "keep `(x > 0).sum()` a tensor",
    "n = (x > 0).sum().item()\nif n == 0:\n    return loss, None": COUNT,
    "n = loss.item()\nmeters.update(n)\nkept['loss'] = n": LATER,
    "n = loss.item()\nmeters.update(n)\nx = x * n": "keep `loss` a tensor",
    "ids = lens.cpu().tolist()\nmeters.update(Meter.many(ids, x))": "read it after the backward pass",
    "costs = x.cpu()\nrows = [linear_sum_assignment(c[i]) for i, c in enumerate(costs.split(2))]": "the solver runs on",
    "seen = False\nfor k in range(4):\n    if x[k] == -1:\n        seen = True": "collect the results on the GPU",
    "while True:\n    x = x / 2\n    if x.sum() < 3:\n        break": "check every N rounds",
    "y = x * loss.item()": "keep `loss` a tensor",
    "rows = linear_sum_assignment(x.detach().cpu())": "the solver runs on the CPU",
    "cost = x.cpu()\nrows = linear_sum_assignment(cost)": "the solver runs on the CPU",
    "p = torch.nn.utils.rnn.pack_padded_sequence(x, lens.cpu())": "take the lengths from the batch",
    "meters.update(loss.detach().cpu())": "read it after the backward pass, or every N steps",
    "return loss, x.detach().cpu().numpy()": "return `x.detach()` as it is",
    "self.record('loss', Meter.many(loss.tolist(), x))": LATER_COPY,
    "y = x.cpu().sum()": "compute this on the GPU",
    "assert (x > 0).all()": "`torch._assert_async`",
    "if bad.any():\n    raise ValueError('bad')": "`torch._assert_async`",
    "if bad.any():\n    x[bad] = 0": "the statement changes nothing",
    "if x.sum() > 3:\n    return loss, None": COUNT,
    "if x.sum() > 3:\n    x = x + 1": "`torch.where`",
    "if x.sum() > 3:\n    self.grow()": "base the check on a value that is already on the CPU, such as a size",
    "hits = bad.nonzero()\nif hits.numel() > 3:\n    x = x + 1": COUNTED,
    "hits = x[bad]\nn = len(hits)": COUNTED,
    "hits = x[bad]\nloss = loss + hits.mean()": "keep the shape",
    "n = x.unique().numel()\nkept['codes'] = n": "count the marks",
    "n = len(torch.unique(x))\nkept['codes'] = n": "count the marks",
    "rows = bad.nonzero()\nreturn rows": "find the rows once per step",
    "rows = bad.nonzero()\nx = x[rows]": "use a mask or `torch.where`",
    "meters.update(x[bad].tolist())": LATER_COPY,
    "kept['bad'] = bad.nonzero().tolist()": LATER_COPY,
    "drawn = torch.from_numpy(np.random.permutation(30)).cuda()": "`torch.randperm`",
    "drawn = torch.from_numpy(np.random.randn(30)).cuda()": "`torch.randn`",
    "loss = torch.maximum(loss, torch.tensor(0.5, device=x.device))": "write `torch.full((), 0.5",
    "loss = loss * torch.tensor(0.5, device=x.device)": "use `0.5` itself",
    "half = torch.tensor(0.5, device=x.device)\nloss = loss * half": "use `0.5` itself",
    "aux = torch.tensor(0.5, device=x.device)\naux /= 4\nloss = loss + aux": "write `torch.full((), 0.5",
    "low = torch.tensor(0.5, device=x.device)\nloss = torch.maximum(loss, low)": "or `clamp` with the number",
}
IN_LOOP = {
    "if torch.isnan(loss):\n    continue": "clear bad gradients on the GPU after the backward pass",
    "if not torch.isnan(loss):\n    optimizer.step()": "clear bad gradients on the GPU after the backward pass",
    "scaler = torch.cuda.amp.GradScaler()\nif torch.isnan(loss):\n    continue": "`GradScaler`",
    "if torch.isnan(frames).any():\n    print('bad')\n    frames = torch.nan_to_num(frames)": "replace bad values",
    "if torch.isnan(frames).any():\n    frames[torch.isnan(frames)] = 0": "replace bad values",
    "if torch.isnan(loss):\n    import pdb\n    pdb.set_trace()": "check every N steps",
    "if (lengths == lengths[0]).all():\n    n = 3\nelse:\n    raise ValueError('mixed')": "`torch._assert_async`",
    "n = min(int(lengths.min().item() / 2), 8)\nfor part in kept:\n    part.cut(n)": "read it once for all uses",
    "torch.cuda.synchronize()": "remove it; to time a step",
    "torch.cuda.synchronize()\nmeters.add(first.elapsed_time(last))": "some steps later, when they are over",
    "torch.cuda.synchronize()\nmeters.add(time.time())": "without the wait, this clock would be wrong",
    "if torch.isnan(loss):\n    raise ValueError('nan')": "check every N steps: NaN weights stay NaN",
    "for p in model.parameters():\n    p.div_(max(1.0, p.pow(2).mean()))": "`x.clamp(min=...)`",
    "for p in model.parameters():\n    meters.add(p.grad.norm().item())": "`clip_grad_norm_`",
    "for p in model.parameters():\n    meters.add_scalar('norm', p.grad.norm(), 3)": "print or log it every N steps",
    "for p in model.parameters():\n    meters.add(p.abs().max().item())": "waits once for each parameter",
    "bar.set_postfix(loss=loss.item())": "update the bar every N steps",
    "bar.set_description(f'{loss:.3f}')": "update the bar every N steps",
    "shown = loss.item()\nbar.set_postfix(loss=shown)": "update the bar every N steps",
    "keep(meters, loss)": "call `keep` every N steps, or sum on the GPU first",
    "meters.add(loss.item())": LATER,
    "y = loss.item() + 1": "keep `loss.detach()`, and read it only when you log",
    "total = total + 1\ntotal += (loss / 2).item()": "add `(loss / 2).detach()`, and read the sum once",
    "kept.append(loss.detach().item())": "append `loss.detach()` and read the list once, after the epoch",
    "if torch.isnan(loss):\n    break": "check every N steps: the loop ends",
    "bad = False\nif torch.isnan(loss):\n    bad = True": "collect the results on the GPU",
}


def program(forward: str = "", loop: str = "") -> str:
    return PROGRAM.format(textwrap.indent(forward, " " * 8), textwrap.indent(loop, " " * 8))


def advice(text: str) -> list[str]:
    found = judged(text).findings
    return [item.help or "" for item in found if item.code.startswith("TRN2")]


@pytest.mark.parametrize("code", IN_FORWARD)
def test_advice_in_a_forward_pass(code: str) -> None:
    assert any(IN_FORWARD[code] in said for said in advice(program(forward=code)))


@pytest.mark.parametrize(
    "code",
    [
        "aux = torch.tensor(0.5, device=x.device)\naux.add_(4)\nloss = loss + aux",
        "aux = torch.tensor(0.5, device=x.device)\nmeters.update(aux)",
    ],
)
def test_a_number_is_no_advice_where_a_tensor_is_needed(code: str) -> None:
    assert ["itself" in said for said in advice(program(forward=code))] == [False]


@pytest.mark.parametrize("code", IN_LOOP)
def test_advice_in_a_training_loop(code: str) -> None:
    assert any(IN_LOOP[code] in said for said in advice(program(loop=code)))
