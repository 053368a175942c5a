"""What each piece of code does on the simulated GPU: planned by PyTorch's sources, not by what the simulation says."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from trainlint_probe.simulated.simulation import Simulation

SETUP = """
import copy, io, threading
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F
x = torch.arange(12.0, device="cuda").reshape(3, 4) + 1
v = torch.arange(4, device="cuda")
mask = x > 6
host = torch.ones(3, 4)
pinned = torch.ones(3, 4).pin_memory()
scalar = x.sum()
model = nn.Linear(4, 2).cuda()
chances = x.log_softmax(-1)[:, None].requires_grad_()
loss = F.ctc_loss(chances, v[1:3][None], (3,), (2,), reduction="sum")
"""

WAIT, UP, DOWN = "wait", "host to device", "device to host"

CHECKS_ON_HOST = tuple(map(int, torch.__version__.split(".")[:2])) < (2, 14)
"""Whether this PyTorch reads standard deviations to check them."""

PLANNED = {
    # Reading numbers.
    "scalar.item()": [WAIT],
    "float(scalar)": [WAIT],
    "int(scalar)": [WAIT],
    "bool(scalar)": [WAIT],
    "if scalar > 3: pass": [WAIT],
    "f'{scalar:.3f}'": [WAIT],
    "str(x)": [WAIT],
    "print(x, file=io.StringIO())": [WAIT],
    "x.tolist()": [DOWN],
    "1 in v": [WAIT],
    "[1, 2, 3][v[1]]": [WAIT],
    "x[:v[2]]": [WAIT],
    "range(v[2])": [WAIT],
    "torch.zeros(3).new_full((2,), scalar)": [WAIT],
    "max(1, scalar)": [WAIT],
    "assert torch.isfinite(x).all()": [WAIT],
    "scalar.is_nonzero()": [WAIT],
    "host.sum().item()": [],
    "len(x), x.shape, x.dtype, x.numel(), x.dim()": [],
    # Sizes that depend on data.
    "x.nonzero()": [WAIT],
    "torch.nonzero(x)": [WAIT],
    "torch.where(mask)": [WAIT],
    "torch.argwhere(mask)": [WAIT],
    "torch.where(mask, x, 0.0)": [],
    "x[mask]": [WAIT],
    "x[mask[:, 0]]": [WAIT],
    "x.masked_select(mask)": [WAIT],
    "x.masked_fill(mask, 0.0)": [],
    "x.masked_fill(mask, scalar)": [WAIT],
    "x[mask] = 0.0": [],
    "x[mask] = x.new_zeros(6)": [WAIT],
    "x[mask] = scalar": [WAIT],
    "x.index_fill(0, v[:2], 1.0)": [],
    "x.index_fill(0, v[:2], scalar)": [WAIT],
    "x.index_fill_(0, v[:2], scalar)": [WAIT],
    "x[v[:3]]": [],
    "x[:, v[:2]] = 1.0": [UP],
    "x[0] = 1.0": [],
    "x[0, 0] = 1.0": [UP],
    "x[[0, 2]]": [UP],
    "x[np.array([0, 2])]": [UP],
    "x[torch.tensor([0, 1])]": [UP],
    "x[host > 0]": [UP],
    "x[host > 0] = 0.0": [UP, UP],
    "v.unique()": [WAIT],
    "torch.unique(v, return_counts=True)": [WAIT],
    "torch.unique_consecutive(v)": [WAIT],
    "torch.bincount(v)": [WAIT, WAIT],
    "torch.histc(x, 4)": [WAIT, WAIT],
    "torch.histc(x, 4, min=0, max=9)": [],
    "torch.isin(v, v[:2])": [],
    "torch.isin(v, torch.arange(100, device='cuda'))": [WAIT, WAIT],
    "torch.isin(v, torch.arange(100, device='cuda'), assume_unique=True)": [],
    "torch.segment_reduce(x, 'sum', lengths=v[1:3], axis=0)": [WAIT, WAIT],
    "torch.segment_reduce(x, 'sum', lengths=v[1:3], axis=0, unsafe=True)": [],
    "torch.linspace(x[0, 0], x[0, 1], 3)": [WAIT, WAIT],
    "x.to_sparse()": [WAIT],
    "torch.sparse_coo_tensor(v[None], x[0], (4,), check_invariants=False).coalesce()": [WAIT],
    "F.one_hot(v)": [WAIT],
    "F.one_hot(v, 5)": [],
    "torch.repeat_interleave(x, v[:3], dim=0)": [WAIT, WAIT],
    "torch.repeat_interleave(x, v[:3], dim=0, output_size=3)": [],
    "torch.repeat_interleave(x, 2, dim=0)": [],
    "torch.multinomial(x, 1)": [],
    "torch.multinomial(x, 2, replacement=True)": [],
    "torch.equal(x, x + 1)": [WAIT],
    "torch.equal(x, x[:2])": [],
    "torch.equal(x, x.view(3, 4))": [],
    "torch.allclose(x, x + 1)": [WAIT],
    "torch.quantile(x, 0.5)": [],
    "torch.normal(x, x)": [WAIT, WAIT] if CHECKS_ON_HOST else [],
    "torch.normal(x, x, out=x.clone())": [WAIT] if CHECKS_ON_HOST else [],
    "torch.linalg.inv(x[:, :3] + 9 * torch.eye(3, device='cuda'))": [WAIT],
    "torch.linalg.cholesky_ex(torch.eye(3, device='cuda'))": [],
    "torch.linalg.cholesky(torch.eye(3, device='cuda'))": [WAIT],
    "torch.linalg.eigh(torch.eye(3, device='cuda'))": [WAIT],
    "torch.linalg.svd(torch.eye(3, device='cuda'))": [WAIT, WAIT],
    "torch.linalg.pinv(torch.eye(3, device='cuda'))": [WAIT, WAIT],
    "torch.linalg.matrix_exp(torch.eye(3, device='cuda'))": [WAIT],
    "torch.linalg.qr(torch.eye(3, device='cuda'))": [],
    "torch.cholesky_inverse(torch.eye(3, device='cuda'))": [WAIT],
    "torch.topk(x, 2)": [],
    "torch.sort(x)": [],
    "torch.count_nonzero(x)": [],
    # Copies.
    "host.cuda()": [UP],
    "host.to('cuda')": [UP],
    "host.to('cuda:0', torch.float16)": [UP],
    "host.to(x)": [UP],
    "host.type_as(x)": [UP],
    "host.to(device='cuda', non_blocking=True)": [UP],
    "x.cuda()": [],
    "x.to('cuda')": [],
    "x.to(torch.float16)": [],
    "x.half().float().double()": [],
    "x.cpu()": [DOWN],
    "x.to('cpu')": [DOWN],
    "x.to('cpu', non_blocking=True)": [DOWN],
    "host.cpu()": [],
    "x.copy_(host)": [UP],
    "scalar.copy_(3.0)": [UP],
    "x.copy_(pinned, non_blocking=True)": [UP],
    "host.copy_(x)": [DOWN],
    "host[0] = x[0]": [DOWN],
    "x[0] = host[0]": [UP],
    "x.numpy(force=True)": [DOWN],
    "torch.tensor([1.0, 2.0], device='cuda')": [UP],
    "torch.tensor(1.0, device='cuda')": [UP],
    "torch.tensor([], device='cuda')": [],
    "torch.tensor([x[0, 0], x[0, 1]])": [WAIT, WAIT],
    "torch.as_tensor(np.ones(3), device='cuda')": [UP],
    "x.new_tensor([1.0])": [UP],
    "torch.full((2,), 1.0, device='cuda')": [],
    "torch.arange(3, device='cuda')": [],
    "torch.zeros(3).to('cuda')": [UP],
    "torch.cuda.FloatTensor([1.0, 2.0])": [UP],
    "torch.cuda.FloatTensor(2, 3)": [],
    "torch.FloatTensor([0.5]).to(x.device)": [UP],
    "model(host.cuda())": [UP],
    "copy.deepcopy(model)": [],
    "torch.save(model.state_dict(), io.BytesIO())": [DOWN, DOWN],
    # Waiting outright.
    "torch.cuda.synchronize()": [WAIT],
    "torch.cuda.current_stream().synchronize()": [WAIT],
    "torch.cuda.Event().synchronize()": [WAIT],
    "torch.Event().synchronize()": [WAIT],
    "torch.cuda.empty_cache()": [WAIT],
    "torch.cuda.memory_allocated()": [],
    # Training.
    "model(x).sum().backward()": [],
    "F.cross_entropy(model(x), v[:3] % 2).backward()": [],
    "nn.utils.clip_grad_norm_(model.parameters(), 1.0)": [],
    "torch.optim.AdamW(model.parameters()).step()": [],
    "nn.Dropout()(x)": [],
    "nn.LSTM(4, 2).cuda()(x[None])[0].sum().backward()": [UP, UP, UP, UP],
    "F.scaled_dot_product_attention(x[None], x[None], x[None])": [],
    "F.ctc_loss(x.log_softmax(-1)[:, None], v[1:3][None], v[3:], v[2:3])": [DOWN, DOWN, *[UP] * 4],
    "loss.backward()": [*[UP] * 3],
    "F.embedding(v, torch.ones(5, 3, device='cuda'), max_norm=1.0)": [],
    "F.gaussian_nll_loss(x, x, x)": [WAIT],
    # Compiling anything turns the default of this check off in the whole process.
    "torch.distributions.Normal(x, x, validate_args=True)": [WAIT, WAIT],
    "torch.distributions.Normal(x, x, validate_args=False).log_prob(x)": [],
    "nn.utils.rnn.pad_sequence([x[0], x[1, :2]])": [],
}


@pytest.fixture
def simulation() -> Iterator[Simulation]:
    with Simulation() as simulated:
        yield simulated


def events_of(simulation: Simulation, code: str, names: dict[str, Any]) -> list[str]:
    simulation.log.events.clear()
    exec(textwrap.dedent(code), names)
    return sorted(
        cause.what.direction or cause.what.kind.value
        for cause, happened in simulation.log.events.items()
        for _ in range(happened.by_step.total())
    )


@pytest.mark.parametrize("code", PLANNED)
def test_each_line_waits_and_copies_as_planned(code: str, simulation: Simulation) -> None:
    names: dict[str, Any] = {}
    exec(SETUP, names)
    if "step()" in code:
        names["model"](names["x"]).sum().backward()

    assert events_of(simulation, code, names) == sorted(PLANNED[code])
