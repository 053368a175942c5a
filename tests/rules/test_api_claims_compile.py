"""What the rules on compiling and fusing say of PyTorch is true of the PyTorch that is installed."""

from __future__ import annotations

import math
from typing import Any

import pytest

torch = pytest.importorskip("torch")
INSTALLED = tuple(int(part) for part in torch.__version__.split(".")[:2])


def compilations(wrap: Any, rounds: int) -> int:
    """How often a backend is asked to compile when a wrapper is built and called in each round."""
    count = 0

    def backend(graph: Any, inputs: Any) -> Any:
        nonlocal count
        count += 1
        return graph.forward

    torch._dynamo.reset()
    for number in range(rounds):
        wrap(number, backend)(torch.ones(2))
    torch._dynamo.reset()
    return count


def double(x: Any) -> Any:
    return x * 2


def test_a_new_wrapper_finds_what_was_compiled_before() -> None:
    assert compilations(lambda _, backend: torch.compile(double, backend=backend), 3) == 1


def test_a_new_backend_compiles_again_until_the_limit() -> None:
    assert torch._dynamo.config.recompile_limit == 8

    def wrap(_: int, backend: Any) -> Any:
        return torch.compile(double, backend=lambda graph, inputs: backend(graph, inputs))

    assert compilations(wrap, 10) == 8


def test_a_wrapper_of_a_wrapper_is_no_module() -> None:
    once = torch.compile(torch.nn.Linear(2, 2), backend="eager")
    assert hasattr(once, "train")
    twice = torch.compile(once, backend="eager")
    assert not hasattr(twice, "train")
    assert not hasattr(twice, "parameters")


def test_linear_cross_entropy_takes_what_the_rule_says() -> None:
    if not hasattr(torch.nn.functional, "linear_cross_entropy"):
        pytest.skip("from PyTorch 2.13 on")
    torch.manual_seed(0)
    hidden, weight = torch.randn(8, 4), torch.randn(100, 4)
    targets = torch.randint(0, 100, (8,))
    options = torch.nn.LinearCrossEntropyOptions()
    fused = torch.nn.functional.linear_cross_entropy(hidden, weight, targets, options=options)
    torch.testing.assert_close(fused, torch.nn.functional.cross_entropy(hidden @ weight.T, targets))


def test_torchscript_is_deprecated() -> None:
    category = FutureWarning if INSTALLED >= (2, 14) else DeprecationWarning
    with pytest.warns(category, match=r"torch\.jit\.script"):
        torch.jit.script(torch.nn.Identity())


def test_nvfuser_is_gone() -> None:
    torch._C._jit_set_nvfuser_enabled(True)
    assert not torch._C._jit_nvfuser_enabled()
    with torch.jit.fuser("fuser2"):
        assert not torch._C._jit_nvfuser_enabled()


def prints(x: Any) -> Any:
    y = x * 2
    print("twice")  # noqa: T201 - what is tried is a print
    return y + 1


def reads_item(x: Any) -> Any:
    return x * x.sum().item()


def reads_list(x: Any) -> Any:
    return x * x.long().tolist()[0]


def asks_tensor(x: Any) -> Any:
    return x * 2 if x.sum() > 0 else x


def converts(x: Any) -> Any:
    return x * float(x.sum())


def adds(x: Any) -> Any:
    return x * 2 + 1


def breaks(function: Any) -> int:
    torch._dynamo.reset()
    count: int = torch._dynamo.explain(function)(torch.ones(3)).graph_break_count
    torch._dynamo.reset()
    return count


@pytest.mark.parametrize("function", [prints, reads_item, reads_list, asks_tensor, converts])
def test_compiled_graph_breaks(function: Any) -> None:
    assert breaks(function) == 1
    assert breaks(adds) == 0


def test_compiling_in_place_keeps_names_of_weights() -> None:
    model = torch.nn.Linear(2, 2)
    assert all(name.startswith("_orig_mod.") for name in torch.compile(model, backend="eager").state_dict())
    model.compile(backend="eager")
    assert set(model.state_dict()) == {"weight", "bias"}


def test_product_with_one_hot_rows_is_an_embedding() -> None:
    torch.manual_seed(0)
    weight, ids = torch.randn(10, 4, requires_grad=True), torch.randint(0, 10, (3, 5))
    product = torch.nn.functional.one_hot(ids, 10).float() @ weight
    looked_up = torch.nn.functional.embedding(ids, weight)
    torch.testing.assert_close(product, looked_up)
    (one,) = torch.autograd.grad(product.square().sum(), weight)
    (other,) = torch.autograd.grad(looked_up.square().sum(), weight)
    torch.testing.assert_close(one, other)
    assert torch.nn.functional.one_hot(ids, 10).dtype is torch.int64


def test_rows_by_index_are_an_embedding() -> None:
    torch.manual_seed(0)
    table, ids = torch.randn(10, 4, requires_grad=True), torch.randint(0, 10, (3, 5))
    looked_up = torch.nn.functional.embedding(ids, table)
    assert torch.equal(table[ids], looked_up)
    assert torch.equal(table.index_select(0, ids.view(-1)).view(3, 5, 4), looked_up)
    (one,) = torch.autograd.grad(table[ids].square().sum(), table)
    (other,) = torch.autograd.grad(looked_up.square().sum(), table)
    torch.testing.assert_close(one, other)
    with pytest.raises(IndexError):
        torch.nn.functional.embedding(torch.tensor([-1]), table)


def test_written_out_norms_and_gelu_are_those_of_torch() -> None:
    torch.manual_seed(0)
    functional, x, weight = torch.nn.functional, torch.randn(4, 8, dtype=torch.float64), torch.randn(8).double()
    if hasattr(functional, "rms_norm"):
        by_hand = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * weight
        torch.testing.assert_close(functional.rms_norm(x, weight.shape, weight, 1e-6), by_hand)
    centred = x - x.mean(-1, keepdim=True)
    by_hand = centred / torch.sqrt(centred.pow(2).mean(-1, keepdim=True) + 1e-6)
    torch.testing.assert_close(functional.layer_norm(x, (8,), eps=1e-6), by_hand)
    torch.testing.assert_close(functional.gelu(x), x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0))))
    curve = torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * torch.pow(x, 3)))
    torch.testing.assert_close(functional.gelu(x, approximate="tanh"), 0.5 * x * (1 + curve))


def test_batch_norms_are_folded_in_evaluation_alone() -> None:
    from torch.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval

    torch.manual_seed(0)
    for layer, norm, fuse, x in (
        (torch.nn.Conv2d(3, 4, 3, bias=False), torch.nn.BatchNorm2d(4), fuse_conv_bn_eval, torch.randn(2, 3, 8, 8)),
        (torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), fuse_linear_bn_eval, torch.randn(2, 3)),
    ):
        norm(layer(x))
        with pytest.raises(AssertionError):
            fuse(layer, norm)
        layer.eval()
        norm.eval()
        torch.testing.assert_close(fuse(layer, norm)(x), norm(layer(x)), rtol=1e-4, atol=1e-5)


def test_a_whole_network_is_folded_by_fx() -> None:
    from torch.fx.experimental.optimization import fuse

    network = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4)).eval()
    folded = [type(module).__name__ for module in fuse(network).modules()]
    assert "BatchNorm2d" not in folded
