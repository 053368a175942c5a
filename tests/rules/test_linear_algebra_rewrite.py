"""Old functions of linear algebra and ranges: which calls are rewritten, and that both forms give the same bits."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from tests.rules.catalogue import STATED, source
from trainlint.engine.judge import judge
from trainlint.finding import Finding, Safety
from trainlint.fixing import fix_to_fixpoint
from trainlint.source import SourceFile
from trainlint_rules.api.removed_linear_algebra import RemovedLinearAlgebra

torch = pytest.importorskip("torch")
INSTALLED = tuple(int(part) for part in torch.__version__.split(".")[:2])

SETUP = """\
import torch

torch.manual_seed(1)
a = torch.randn(4, 4)
s = a @ a.T + 4 * torch.eye(4) + torch.triu(torch.ones(4, 4), 1)
y = torch.zeros(3, 5)
yes = bool(y.numel())
out = torch.empty(0)
result = """

REWRITTEN = {
    "torch.cholesky(s)": "torch.linalg.cholesky(s)",
    "torch.cholesky(s, False)": "torch.linalg.cholesky(s)",
    "torch.cholesky(s, upper=False)": "torch.linalg.cholesky(s)",
    "torch.cholesky(s, True)": "torch.linalg.cholesky(s, upper=True)",
    "torch.cholesky(s, upper=True)": "torch.linalg.cholesky(s, upper=True)",
    "torch.cholesky(s, upper=yes, out=out)": "torch.linalg.cholesky(s, upper=yes, out=out)",
    "torch.cholesky(\n    s,\n    upper=False,\n)": "torch.linalg.cholesky(\n    s,\n)",
    "torch.qr(a)": "torch.linalg.qr(a)",
    "torch.qr(y, some=True)": "torch.linalg.qr(y)",
    "torch.qr(y.T, False)": 'torch.linalg.qr(y.T, mode="complete")',
    "torch.qr(y.T, some=yes)": 'torch.linalg.qr(y.T, mode="reduced" if yes else "complete")',
    "torch.chain_matmul(a, s, a)": "torch.linalg.multi_dot([a, s, a])",
    "torch.chain_matmul(a, (s), out=out)": "torch.linalg.multi_dot([a, (s)], out=out)",
    "torch.chain_matmul(\n    a,  # first\n    s,\n)": "torch.linalg.multi_dot([\n    a,  # first\n    s,\n])",
    "torch.range(0, 7)": "torch.arange(0, 8, dtype=torch.get_default_dtype())",
    "torch.range(-4, -2)": "torch.arange(-4, -1, dtype=torch.get_default_dtype())",
    "torch.range(0, 6, 2)": "torch.arange(0, 7, 2, dtype=torch.get_default_dtype())",
    "torch.range(0, 7, 3)": "torch.arange(0, 8, 3, dtype=torch.get_default_dtype())",
    "torch.range(5, -1, -2)": "torch.arange(5, -2, -2, dtype=torch.get_default_dtype())",
    "torch.range(end=2, start=0)": "torch.arange(end=3, start=0, dtype=torch.get_default_dtype())",
    "torch.range(4, 29, out=out)": "torch.arange(4, 30, out=out)",
    "torch.range(0, 5000, dtype=torch.float32)": "torch.arange(0, 5001, dtype=torch.float32)",
    "torch.range(0, y.size(1) - 1, dtype=torch.long)": "torch.arange(0, y.size(1), dtype=torch.long)",
    "torch.range(1, y.shape[0], dtype=torch.long)": "torch.arange(1, y.shape[0] + 1, dtype=torch.long)",
    "torch.range(1, len(y) + 1, dtype=torch.int32)": "torch.arange(1, len(y) + 2, dtype=torch.int32)",
    "torch.range(9, len(y) - 2, -1, dtype=torch.long)": "torch.arange(9, len(y) - 3, -1, dtype=torch.long)",
}

LEFT = [
    "torch.cholesky(input=s)",
    "torch.cholesky(*[s])",
    "torch.qr(input=a)",
    "torch.chain_matmul(a)",
    "torch.chain_matmul(*[a, a])",
    "torch.range(0, 1.5)",
    "torch.range(0, 6, 1.0)",
    "torch.range(0, 5000)",  # in bfloat16, the two round differently
    "torch.range(0, y.size(1) - 1)",
    "torch.range(0, round(2.5), dtype=torch.long)",
    "torch.range(0, 6, len(y))",
    "torch.range(0, 6, dtype=torch.uint8)",
    "torch.range(0, y.mean().item(), dtype=torch.long)",
]


def fixed(text: str) -> str:
    def judged(text: SourceFile) -> tuple[Finding, ...]:
        return judge(text, [RemovedLinearAlgebra()], STATED).findings

    return fix_to_fixpoint(source(text), judged, Safety.SAFE).source.text


def result_of(text: str) -> list[Any]:
    names: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, "train.py", "exec"), names)
    found = names["result"]
    return [found] if isinstance(found, torch.Tensor) else list(found)


@pytest.mark.parametrize(("old", "new"), REWRITTEN.items(), ids=REWRITTEN)
def test_a_call_becomes_one_of_the_new_function(old: str, new: str) -> None:
    assert fixed(f"{SETUP}{old}\n") == f"{SETUP}{new}\n"


@pytest.mark.parametrize("old", LEFT)
def test_a_call_that_may_mean_something_else_stays(old: str) -> None:
    text = f"{SETUP}{old}\n"
    assert fixed(text) == text


def test_a_function_of_the_file_named_like_a_builtin_proves_no_integer() -> None:
    text = f"def len(tensor):\n    return 1.5\n\n\n{SETUP}torch.range(0, len(y), dtype=torch.long)\n"
    assert fixed(text) == text


RUNS = [old for old in REWRITTEN if INSTALLED < (2, 14) or not old.startswith(("torch.qr", "torch.cholesky"))]


@pytest.mark.parametrize("old", RUNS)
def test_both_give_the_same_bits(old: str) -> None:
    before, after = result_of(f"{SETUP}{old}\n"), result_of(f"{SETUP}{REWRITTEN[old]}\n")
    for one, other in zip(before, after, strict=True):
        assert one.dtype == other.dtype
        assert torch.equal(one, other)


def test_the_upper_factor_is_still_taken_from_the_upper_triangle() -> None:
    """The transposed lower factor is another one where a matrix is not quite symmetric."""
    setup = SETUP.removesuffix("result = ")
    lower = result_of(f"{setup}result = torch.linalg.cholesky(s).mH\n")[0]
    assert not torch.allclose(lower, result_of(f"{SETUP}torch.linalg.cholesky(s, upper=True)\n")[0])
