"""TRN530 stays silent where code does more with gradients than to clear them."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import judged
from trainlint_rules.distributed.gradient_bucket_copied import GradientBucketCopied

TRAIN = """\
import torch
from torch.nn.parallel import DistributedDataParallel


def train(network, optimizer, batches, rank, kept, hook):
    model = DistributedDataParallel(network, device_ids=[rank])
    for batch in batches:
        optimizer.zero_grad()
        loss = model(batch)
        loss.backward()
        for p in model.parameters():
            HERE
        optimizer.step()
"""


@pytest.mark.parametrize(
    "statement",
    [
        "p.grad = kept[p]",
        "p.grad.data = kept[p]",
        "p.grad.detach_()",
        "model.register_comm_hook(None, hook)",
        "optimizer.zero_grad(set_to_none=False)",
        "loss.backward(retain_graph=True)",
        "loss.backward(create_graph=True)",
        "torch.autograd.grad(loss, p)",
        "import apex.optimizers",
        "from torch.distributed import rpc",
    ],
)
def test_it_is_silent_where_gradients_are_replaced_detached_or_kept(statement: str) -> None:
    assert not judged(TRAIN.replace("HERE", statement), GradientBucketCopied).findings


@pytest.mark.parametrize(
    "statement",
    ["pass", "p.grad = None", "p.data = kept[p]", "kept[p] = p.grad.norm()", "'p.grad = kept[p]'", "p.detach_()"],
)
def test_it_speaks_where_they_are_left_alone(statement: str) -> None:
    assert len(judged(TRAIN.replace("HERE", statement), GradientBucketCopied).findings) == 1
