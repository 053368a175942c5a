"""The fixes that take waits and emptied caches away leave what helpers are for, and what a clock or a copy needs."""

from __future__ import annotations

import pytest

from tests.rules.safe.offered import fixed, fixes
from trainlint.finding import Safety

STEP = """import time

import torch

{helpers}
def train(model, optimizer, loader, device, host):
    for rows in loader:
        rows = rows.to(device, non_blocking=True)
        loss = model(rows).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        {last}
"""
CALLS = {"TRN204": "torch.cuda.synchronize()", "TRN301": "torch.cuda.empty_cache()"}
HELPERS = {
    "one call": "def tidy():\n    {call}\n",
    "a test for the device": "def tidy():\n    if torch.cuda.is_available():\n        {call}\n",
    "a branch for each kind of device": (
        "def tidy(device=None):\n    '''For all devices.'''\n    device = torch.device(device or 'cuda')\n"
        "    if device.type == 'cuda':\n        {call}\n"
        "    elif device.type == 'mps':\n        torch.mps.synchronize()\n"
    ),
    "both together": "def tidy():\n    torch.cuda.synchronize()\n    torch.cuda.empty_cache()\n",
    "a block": "def tidy():\n    import gc\n    gc.collect()\n    with torch.cuda.device(0):\n        {call}\n",
}


def step(last: str, helpers: str = "") -> str:
    return STEP.format(last=last, helpers=f"\n{helpers}\n" if helpers else "")


@pytest.mark.parametrize("code", CALLS)
@pytest.mark.parametrize("helper", HELPERS.values(), ids=HELPERS)
def test_what_a_helper_is_for_stays(code: str, helper: str) -> None:
    assert code not in fixes(step("tidy()", helper.format(call=CALLS[code])), code)


@pytest.mark.parametrize("code", CALLS)
def test_a_helper_that_does_more_loses_the_call(code: str) -> None:
    helper = f"def log(loss, rows):\n    {CALLS[code]}\n    rows.append(loss.detach())\n"
    assert CALLS[code] not in fixed(step("log(loss, host)", helper), code, Safety.UNSAFE)


@pytest.mark.parametrize("code", CALLS)
@pytest.mark.parametrize("test", ["torch.cuda.is_available()", 'device.type == "cuda"', "device is not None"])
def test_a_test_with_nothing_else_to_do_goes_with_the_call(code: str, test: str) -> None:
    after = fixed(step(f"if {test}:\n            {CALLS[code]}"), code, Safety.UNSAFE)
    assert after == step("").rstrip() + "\n"


@pytest.mark.parametrize("code", CALLS)
@pytest.mark.parametrize(
    "last",
    [
        "with torch.cuda.device(0):\n            {}",
        "if host.take():\n            {}",
        "if device is None:\n            host.count()\n        elif device.type == 'cuda':\n            {}",
        "if device is None:\n            {}\n        else:\n            host.count()",
        "host.count() if device is None else {}",
    ],
    ids=["with", "a test that does something", "elif", "with an else", "an expression"],
)
def test_no_empty_block_is_left_behind(code: str, last: str) -> None:
    assert code not in fixes(step(last.format(CALLS[code])), code)


@pytest.mark.parametrize(
    "last",
    [
        "torch.cuda.synchronize()\n        host.append(time.perf_counter())",
        "stop.record()\n        torch.cuda.synchronize()\n        host.append(start.elapsed_time(stop))",
        "torch.cuda.synchronize()\n        host[0].copy_(rows, non_blocking=True)",
        "with torch.cuda.stream(host.stream):\n            rows = rows + 1\n        torch.cuda.synchronize()",
        "torch.cuda.synchronize()\n        kept = rows.to('cpu', non_blocking=True)",
        "torch.distributed.all_reduce(loss, async_op=True)\n        torch.cuda.synchronize()",
        "torch.cuda.synchronize()\n        host.append(loss.item())",
    ],
    ids=[
        "the host's clock",
        "events",
        "a buffer that is reused",
        "a stream",
        "a copy to the host in the next round",
        "a collective that goes on",
        "a read that waits as well",
    ],
)
def test_a_wait_that_something_needs_stays(last: str) -> None:
    assert "TRN204" not in fixes(step(last), "TRN204")


def test_a_wait_stays_where_another_function_of_the_file_uses_streams() -> None:
    helper = "\n\ndef ahead(rows):\n    torch.cuda.current_stream().wait_stream(rows.stream)\n"
    waiting = step("torch.cuda.synchronize()")
    assert "TRN204" in fixes(waiting, "TRN204")
    assert "TRN204" not in fixes(waiting + helper, "TRN204")


@pytest.mark.parametrize("before", ["host.append(loss.detach())", "print(rows.shape)"])
def test_a_wait_that_nothing_needs_goes(before: str) -> None:
    assert "synchronize" not in fixed(step(f"{before}\n        torch.cuda.synchronize()"), "TRN204", Safety.UNSAFE)
