"""A fix is offered only where it gains something by itself."""

from __future__ import annotations

from tests.rules.safe.offered import fixed, fixes
from trainlint.finding import Safety

TRAIN = """
import torch


def train(model, optimizer, loader):
    total = 0.0
    for batch in loader:
        loss = model(batch.cuda(non_blocking=True)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        {besides}
    return total
"""


def test_a_sum_is_kept_on_the_device_where_nothing_else_reads_the_loss() -> None:
    assert "total += loss.detach()" in fixed(TRAIN.format(besides="pass"), "TRN201", Safety.UNSAFE)
    rare = "if step % 100 == 0: print(loss.item())"
    text = (
        TRAIN.format(besides=rare)
        .replace("for batch in", "for step, batch in")
        .replace("in loader", "in enumerate(loader)")
    )
    assert "total += loss.detach()" in fixed(text, "TRN201", Safety.UNSAFE)


def test_a_sum_stays_as_it_is_where_each_step_reads_the_loss_besides() -> None:
    assert "TRN201" not in fixes(TRAIN.format(besides="log(loss.item())"), "TRN201")


ZERO = """
import torch


def train(model, optimizer, loader):
    for batch in loader:
        for weight in model.parameters():
            if weight.grad is not None:
                {prepared}
                weight.grad.zero_()
        model(batch).sum().backward()
        optimizer.step()
"""


def test_a_gradient_that_is_dropped_is_not_detached_before() -> None:
    after = fixed(ZERO.format(prepared="weight.grad.detach_()"), "TRN306", Safety.UNSAFE)
    assert "detach_" not in after
    assert "weight.grad = None" in after


def test_a_gradient_is_not_dropped_where_a_test_decides_how_it_is_kept() -> None:
    decided = "weight.grad.detach_() if weight.grad.grad_fn else weight.grad.requires_grad_(False)"
    assert "weight.grad = None" in fixed(ZERO.format(prepared="pass"), "TRN306", Safety.UNSAFE)
    assert "TRN306" not in fixes(ZERO.format(prepared=decided), "TRN306")


ACCUMULATED = """
import torch


def train(model, criterion, loader, every):
    optimizer = torch.optim.{optimizer}(model.parameters(), lr=0.1)
    for step, (inputs, targets) in enumerate(loader):
        loss = criterion(model(inputs), targets)
        loss.backward()
        if (step + 1) % every == 0:
            {before}
            optimizer.step()
            optimizer.zero_grad()
"""
CLIPPED = "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)"


def test_a_loss_is_divided_where_that_changes_the_step() -> None:
    for optimizer, before in (("SGD", "pass"), ("AdamW", CLIPPED)):
        text = ACCUMULATED.format(optimizer=optimizer, before=before)
        assert "(loss / every).backward()" in fixed(text, "TRN307", Safety.UNSAFE)


def test_a_loss_is_not_divided_where_the_optimizer_scales_its_gradients_anyhow() -> None:
    assert "TRN307" not in fixes(ACCUMULATED.format(optimizer="AdamW", before="pass"), "TRN307")


SAMPLED = """
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def made(dataset, with_more):
    if with_more:
        sampler = DistributedSampler(dataset)
        more = DataLoader(dataset, batch_size=32, sampler=sampler)
    else:
        {otherwise}
    return more


def main(model, optimizer, dataset, with_more):
    more = made(dataset, with_more)
    for epoch in range(10):
        for images in more:
            optimizer.zero_grad()
            model(images).sum().backward()
            optimizer.step()


if __name__ == "__main__":
    main(*prepared())
"""


def test_a_sampler_is_told_the_epoch_only_where_there_is_one() -> None:
    refused, other = "raise ValueError(with_more)", "more = [None] * 10"
    assert "more.sampler.set_epoch(epoch)" in fixed(SAMPLED.format(otherwise=refused), "TRN108", Safety.UNSAFE)
    assert "TRN108" not in fixes(SAMPLED.format(otherwise=other), "TRN108")


TESTED = """
import torch
from torch.autograd import Variable


def weights(alpha):
    if isinstance(alpha, {type}):
        return alpha
    return Variable(alpha)
"""


def test_what_a_test_says_is_no_tensor_is_not_taken_for_one() -> None:
    assert "return alpha.detach()" in fixed(TESTED.format(type="list"), "TRN810", Safety.UNSAFE)
    for type_name in ("Variable", "torch.Tensor"):
        assert "alpha.detach()" not in fixed(TESTED.format(type=type_name), "TRN810", Safety.UNSAFE)


COPIED = """
import torch
from torch.autograd import Variable


def leaf(tensor):
    return Variable(tensor.{how}.clone(), requires_grad=True)
"""


def test_a_copy_without_graph_is_not_detached_once_more() -> None:
    for how in ("data", "detach()"):
        after = fixed(COPIED.format(how=how), "TRN810", Safety.UNSAFE)
        assert f"return tensor.{how}.clone().requires_grad_()" in after
