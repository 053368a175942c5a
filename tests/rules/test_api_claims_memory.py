"""What rules about memory say of PyTorch, asked of the PyTorch that is installed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from tests.rules.catalogue import source
from trainlint.config import Config
from trainlint.config.torch_range import parse_torch_range
from trainlint.engine.judge import judge
from trainlint_rules.memory.checkpoint_without_use_reentrant import CheckpointWithoutUseReentrant

torch = pytest.importorskip("torch")


def parameters_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(function).parameters)


@pytest.mark.parametrize("owner", [torch.optim.Optimizer, torch.nn.Module], ids=["Optimizer", "Module"])
def test_zero_grad_gives_gradients_up_unless_told_otherwise(owner: Any) -> None:
    names = list(parameters_of(owner.zero_grad))
    assert names == ["self", "set_to_none"]
    assert parameters_of(owner.zero_grad)["set_to_none"].default is True


def test_a_gradient_of_zeros_still_moves_a_parameter_that_was_not_used() -> None:
    def moved(*, set_to_none: bool) -> bool:
        used, idle = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        optimizer = torch.optim.AdamW([used, idle], lr=0.1, weight_decay=0.5)
        (used.sum() + idle.sum()).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=set_to_none)
        before = idle.detach().clone()
        used.sum().backward()
        optimizer.step()
        return not torch.equal(before, idle)

    assert moved(set_to_none=False)
    assert not moved(set_to_none=True)


def test_checkpoint_takes_use_reentrant_by_name_and_by_position_only_where_the_rule_says_so() -> None:
    from torch.utils.checkpoint import checkpoint, checkpoint_sequential

    assert parameters_of(checkpoint)["use_reentrant"].kind is inspect.Parameter.KEYWORD_ONLY
    assert list(parameters_of(checkpoint_sequential)).index("use_reentrant") == 3
    assert parameters_of(checkpoint)["use_reentrant"].default is None
    assert parameters_of(checkpoint_sequential)["use_reentrant"].default is None


def test_checkpoint_without_use_reentrant_warns_and_may_give_no_gradients() -> None:
    from torch.utils.checkpoint import checkpoint

    layer, inputs = torch.nn.Linear(3, 3), torch.ones(2, 3)
    with pytest.warns(
        UserWarning, match="use_reentrant parameter should be passed explicitly.*will raise an exception"
    ):
        assert not checkpoint(layer, inputs).requires_grad
    assert checkpoint(layer, inputs, use_reentrant=False).requires_grad


def test_the_checkpoint_module_is_not_callable() -> None:
    from torch.utils import checkpoint

    with pytest.raises(TypeError, match="'module' object is not callable"):
        checkpoint(torch.nn.Linear(3, 3), torch.ones(2, 3))
    assert callable(checkpoint.checkpoint)


def test_load_takes_map_location_second_and_has_none_by_default() -> None:
    assert list(parameters_of(torch.load))[1] == "map_location"
    assert parameters_of(torch.load)["map_location"].default is None


def test_load_state_dict_copies_to_where_the_parameters_are() -> None:
    model, saved = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    place = model.weight.data_ptr()
    model.load_state_dict(saved.state_dict())
    assert model.weight.data_ptr() == place
    assert torch.equal(model.weight, saved.weight)


@pytest.mark.parametrize("count", [2, 4, 8])
def test_a_loss_that_is_added_to_its_quotient_gives_gradients_that_are_too_large(count: int) -> None:
    def accumulated(*, wrong: bool) -> float:
        weight = torch.ones((), requires_grad=True)
        for _ in range(count):
            loss = 3 * weight
            loss = loss + loss / count if wrong else loss / count
            loss.backward()
        assert weight.grad is not None
        return float(weight.grad)

    assert accumulated(wrong=True) == pytest.approx((count + 1) * accumulated(wrong=False))


def test_the_graph_is_freed_by_a_backward_and_kept_by_retain_graph() -> None:
    assert "retain_graph" in parameters_of(torch.Tensor.backward)
    weight = torch.ones(2, requires_grad=True)
    loss = weight.square().sum()
    loss.backward(retain_graph=True)
    loss.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        loss.backward()


def test_what_the_pages_offer_instead_of_copies_exists() -> None:
    from torch.optim.swa_utils import AveragedModel

    weights, copies = [torch.ones(2)], [torch.zeros(2)]
    torch._foreach_copy_(copies, weights)
    assert torch.equal(copies[0], weights[0])
    assert "avg_fn" in parameters_of(AveragedModel.__init__)


def test_checkpoint_wrapper_is_where_the_page_says() -> None:
    from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper

    assert callable(checkpoint_wrapper)


@pytest.mark.parametrize(("target", "found"), [(">=1.8", 0), (">=1.11", 1), (">=2.4", 1)])
def test_nobody_is_asked_for_an_argument_that_their_pytorch_lacks(target: str, found: int) -> None:
    text = source(CheckpointWithoutUseReentrant.manual.example)
    config = Config(target_torch=parse_torch_range(target))
    assert len(judge(text, (CheckpointWithoutUseReentrant(),), config).findings) == found
