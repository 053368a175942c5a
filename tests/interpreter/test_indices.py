"""Indices of the host into tensors of the device: they are copied in each step."""

from __future__ import annotations

from typing import Final

import pytest

from tests.interpreter.running import told_in_a_step

_CHOSEN: Final = "chosen, order, pair = np.random.permutation(8), [0, 2], (0, 1)"


@pytest.mark.parametrize(
    "statement",
    [
        "output[chosen]",
        "output[:, chosen]",
        "output[[0, 1]]",
        "output[..., [0, 2]]",
        "output[[i for i in range(3)]]",
        "output[chosen] = 0",
        "output[np.tril_indices(3)[0]]",
        "output[chosen[2:]]",
        "output[..., order]",
        "output[range(3), 0]",
        "output[np.random.choice(8, 4)]",
    ],
)
def test_arrays_and_lists_are_copied(statement: str) -> None:
    assert told_in_a_step(statement, _CHOSEN) == ["INDEX_COPY sure"]


@pytest.mark.parametrize(
    "statement",
    [
        "output[chosen[0]]",
        "[output[k] for k in chosen]",
        "output[chosen.argmax()]",
        "output[0, 1]",
        "output[(0, 1)]",
        "output[pair]",
        "output[np.random.randint(8)]",
        "output[0] = np.log(2)",
        "output.cpu()[chosen]",
    ],
)
def test_numbers_are_not_copied(statement: str) -> None:
    assert "INDEX_COPY sure" not in told_in_a_step(statement, _CHOSEN)


def test_a_mask_of_the_device_indexes_what_is_not_known() -> None:
    assert told_in_a_step("rows = lookup(output)[output > 0]") == ["MASK_INDEX sure"]
    assert told_in_a_step("rows = lookup(output)[output > 0].sum().item()") == ["ITEM sure", "MASK_INDEX sure"]


@pytest.mark.parametrize(
    "mask", ["output.min(dim=-1).values > 0", "output.topk(3).values > 0", "torch.max(output, 1).indices > 2"]
)
def test_a_part_of_what_gives_several_tensors_makes_a_mask(mask: str) -> None:
    assert told_in_a_step(f"rows = output[{mask}]") == ["MASK_INDEX sure"]


@pytest.mark.parametrize("statement", ["output[output > 0] -= 1", "rows = output[(output > 0) * (output < 1)]"])
def test_a_mask_selects(statement: str) -> None:
    assert told_in_a_step(statement) == ["MASK_INDEX sure"]


@pytest.mark.parametrize(("starts", "told"), [("[0] + moved", []), ("moved", ["BOUND sure"])])
def test_a_list_beside_a_structure_is_a_list(starts: str, told: list[str]) -> None:
    code = f"moved = parts.cuda(non_blocking=True)\n    firsts = torch.tensor({starts}).cumsum(0)\n"
    assert told_in_a_step(f"{code}    rows = batch[firsts[1]:]") == told
