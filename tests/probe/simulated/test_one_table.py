"""The static rules and the simulated device state the same facts: what waits by a table waits on the device."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from packaging.version import Version

from trainlint.analysis.tables.host_reads import READS, Gives
from trainlint.analysis.tables.waits.checked_results import CHECKED
from trainlint.analysis.tables.waits.device_copies import COPIES, DeviceCopy
from trainlint.analysis.tables.waits.number_arguments import WANTED
from trainlint.analysis.tables.waits.operators import ANSWERS
from trainlint_probe.simulated.simulation import Simulation

PAGE = (Path(__file__).parents[3] / "docs" / "waits.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(.+)` \| (yes|no)(?:, before PyTorch ([\d.]+))?[^|]* \|", PAGE, re.MULTILINE)
SETUP = """
import math
import torch
import torch.nn.functional as F
x = torch.rand(9, 9, device="cuda") + 9 * torch.eye(9, device="cuda")
y = torch.rand(9, 9, device="cuda")
index = torch.arange(9, device="cuda")
mask = x > 9.5
t = torch.full((), 2, device="cuda")
ready = torch.full((), 0.5, device="cuda")
host = torch.rand(9, 9, dtype=torch.float64).pin_memory()
pinned = torch.rand(9, 9).pin_memory()
held = torch.empty(9, 9, device="cuda")
rows = [1, 2, 3]
scaler = torch.amp.GradScaler()
scaler.scale(ready)
"""


@pytest.fixture
def simulation() -> Iterator[Simulation]:
    with Simulation() as simulated:
        yield simulated


def waits(simulation: Simulation, code: str, before: str = "") -> bool:
    """Whether the host stands still while the code runs. Copies from pageable memory keep it, asynchronous or not:
    the driver waits for the stream before it takes such memory.
    """
    names: dict[str, Any] = {}
    exec(SETUP + before, names)
    simulation.log.events.clear()
    exec(code, names)
    return any(cause.what.blocking or cause.what.pageable for cause in simulation.log.events)


FITTING = {
    "a, b = index": "index = index[:2]",
    "x[mask] = y": "y = y[mask]",
    "v = torch.repeat_interleave(x, index)": "x = x[0]",
    "v = torch.repeat_interleave(x, index, output_size=9)": "x, index = x[0], index * 0 + 1",
}
"""Operations whose tensors must have other shapes."""


@pytest.mark.parametrize(("operation", "said", "until"), [row for row in ROWS if "distributed" not in row[0]])
def test_each_row_of_the_page_is_what_the_device_does(
    operation: str, said: str, until: str, simulation: Simulation
) -> None:
    is_past = bool(until) and Version(torch.__version__) >= Version(until)
    assert waits(simulation, operation, FITTING.get(operation, "")) == (said == "yes" and not is_past)


@pytest.mark.parametrize("name", READS)
def test_a_method_that_waits_by_the_table_of_reads_waits_on_the_device(name: str, simulation: Simulation) -> None:
    row = READS[name]
    if not row.waits:
        with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor"):
            waits(simulation, f"x.{name}()")
        return
    if row.gives is Gives.NOTHING:
        assert waits(simulation, f"torch.cuda.{name}()")
        return
    tensor = {"item": "t", "bincount": "index"}.get(name, "x")
    more = ["mask"] if name == "masked_select" else []
    assert waits(simulation, f"{tensor}.{name}({', '.join(more)})")
    if row.gives is Gives.DEVICE_TENSOR:
        assert waits(simulation, f"torch.{name}({', '.join([tensor, *more])})")


@pytest.mark.parametrize("origin", [*CHECKED, *ANSWERS])
def test_a_function_that_waits_for_its_answer_waits_on_the_device(origin: str, simulation: Simulation) -> None:
    matrix = "(x @ x.T)"
    rest = {"torch.linalg.solve": ", y", "torch.equal": ", y", "torch.allclose": ", y"}.get(origin, "")
    first = "t" if origin == "torch.is_nonzero" else matrix
    assert waits(simulation, f"{origin}({first}{rest})")
    if origin in CHECKED and (instead := CHECKED[origin].instead):
        assert not waits(simulation, f"{instead}({first}{rest})")


@pytest.mark.parametrize("row", COPIES.values(), ids=COPIES)
def test_a_copy_waits_by_the_table_as_on_the_device(row: DeviceCopy, simulation: Simulation) -> None:
    call = {
        "copy_": "held.copy_(pinned{more})",
        "type": "pinned.type(torch.cuda.FloatTensor{more})",
        "type_as": "pinned.type_as(x{more})",
        "cuda": "pinned.cuda({more})",
        "new_tensor": "x.new_tensor([1.0]{more})",
    }.get(row.name, f"{row.origin}([1.0], device='cuda'{{more}})" if row.origin else "pinned.to('cuda'{more})")
    assert waits(simulation, call.format(more=""))
    more = ("" if row.name == "cuda" else ", ") + "non_blocking=True"
    if row.may_go_on:
        assert not waits(simulation, call.format(more=more))
    else:
        with pytest.raises(TypeError):
            waits(simulation, call.format(more=more))


NUMBERS = {
    **{f"new_{name}": f"x.new_{name}(t)" for name in ("zeros", "ones", "empty")},
    **{name: f"torch.{name}(t)" for name in "zeros ones empty rand randn eye arange randperm".split()},
    **{f"{name}{end}": f"x.{name}{end}(y, alpha=t)" for name in ("add", "sub") for end in ("", "_")},
    **{f"{name}{end}": f"x.{name}{end}(y, y, value=t)" for name in ("addcmul", "addcdiv") for end in ("", "_")},
    **{name: f"x.{name}(0, t)" for name in ("clamp", "clamp_", "clip")},
    **{name: f"x.{name}(mask, t)" for name in ("masked_fill", "masked_fill_")},
    **{name: f"x[:2].{name}(t, 9)" for name in ("view", "reshape")},
    "expand": "x[:1].expand(t, 9)",
    "repeat": "x.repeat(t, 1)",
    "tile": "x.tile(t, 1)",
    "new_full": "x.new_full((2,), t)",
    "roll": "x.roll(t)",
    "narrow": "x.narrow(0, 0, t)",
    "topk": "x.topk(t)",
    "chunk": "x.chunk(t)",
    "unfold": "x.unfold(0, t, 1)",
    "repeat_interleave": "x[0].repeat_interleave(index, output_size=index.sum())",
    "pad": "F.pad(x, [t, 0])",
    "one_hot": "F.one_hot(index, index.max() + 1)",
    "interpolate": "F.interpolate(x[None], size=t)",
    "full": "torch.full((2,), t)",
    "linspace": "torch.linspace(0, t, 3)",
    "randint": "torch.randint(t, (2,))",
}
"""Functions that take a number → a call with a tensor for it."""


def test_each_row_of_numbers_has_a_call() -> None:
    assert {name.rpartition(".")[2] for name in WANTED} == set(NUMBERS)


@pytest.mark.parametrize("name", NUMBERS)
def test_a_tensor_that_is_given_for_a_number_is_read_on_the_device(name: str, simulation: Simulation) -> None:
    assert waits(simulation, NUMBERS[name])
