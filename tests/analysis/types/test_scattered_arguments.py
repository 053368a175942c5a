"""Which wrappers of models move what they are given."""

from __future__ import annotations

import ast

import pytest

from trainlint.analysis.types.calls.scattered_arguments import wrapped_model


@pytest.mark.parametrize(
    ("call", "moves"),
    [
        ("DataParallel(net)", True),
        ("DDP(net)", False),
        ("DDP(net, device_ids=None)", False),
        ("DDP(net, device_ids=[rank])", True),
        ("DDP(net, [rank])", True),
        ("FullyShardedDataParallel(net, device_ids=[rank])", False),
    ],
)
def test_inputs_are_moved_to_the_devices_that_a_wrapper_is_told(call: str, moves: bool) -> None:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    assert wrapped_model(node, node.func.id).prepared is moves
