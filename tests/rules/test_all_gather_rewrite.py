"""The rewrite of TRN501, run by two processes: it gives the tensors that the code before it gave."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from tests.rules.catalogue import STATED, source
from trainlint.config.torch_range import TorchRange
from trainlint.engine.judge import judge
from trainlint.finding import Finding, Safety
from trainlint.fixing import apply_fixes
from trainlint_rules.distributed.all_gather_then_cat import AllGatherThenCat

torch = pytest.importorskip("torch")

HEAD = "import torch\nimport torch.distributed as dist\n\n\n"
FORMS = {
    "cat": """\
def gather(x):
    parts = [torch.zeros_like(x) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x)
    return torch.cat(parts, dim=0)
""",
    "cat_into_a_name": """\
def gather(x):
    parts = [torch.empty(x.shape, dtype=x.dtype) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x.contiguous(), async_op=False)
    parts = torch.cat(parts)
    return parts
""",
    "stack": """\
def gather(x):
    parts = [x.new_empty(x.size()) for _ in range(1 + 1)]
    dist.all_gather(tensor_list=parts, tensor=x, group=dist.group.WORLD)
    joined = torch.stack(parts)
    return joined
""",
    "cat_along_the_last": """\
def gather(x):
    parts = [torch.ones_like(x) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x)
    return torch.cat(parts, dim=-1)
""",
    "stack_along_another": """\
def gather(x):
    parts = [torch.ones_like(x) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x)
    return torch.stack(parts, dim=1)
""",
}
SHAPES = {"stack": ((3, 5), (4,), (), (0, 3)), "stack_along_another": ((3, 5), (4,))}
DTYPES = ("float32", "bfloat16", "int64", "bool")


def judged_for(text: str, target: TorchRange | None) -> tuple[Finding, ...]:
    return judge(source(text), [AllGatherThenCat()], replace(STATED, target_torch=target)).findings


def rewritten(name: str, target: TorchRange | None) -> str:
    text = HEAD + FORMS[name]
    (finding,) = judged_for(text, target)
    new = apply_fixes(source(text), [finding], Safety.UNSAFE).text
    assert new != text
    assert judged_for(new, target) == ()
    return new


def _run(rank: int, forms: dict[str, list[str]], meeting: str) -> None:
    """One of two processes: old and new code on the same tensors, which differ from process to process."""
    import torch
    import torch.distributed as dist

    warnings.simplefilter("ignore")
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
    for name, texts in forms.items():
        for shape in SHAPES.get(name, ((3, 5), (4,), (2, 3, 4), (1,), (3, 0))):
            for dtype in DTYPES:
                for attached in (False, True) if dtype == "float32" else (False,):
                    torch.manual_seed(rank)
                    given = (10 * torch.rand(shape)).to(getattr(torch, dtype)).requires_grad_(attached)
                    results = []
                    for text in texts:
                        names: dict[str, object] = {}
                        exec(compile(text, name, "exec"), names)
                        results.append(names["gather"](given))  # type: ignore[operator]  # the function just defined
                    for result in results[1:]:
                        assert result.dtype == results[0].dtype
                        assert result.requires_grad == results[0].requires_grad
                        assert result.stride() == results[0].stride(), name
                        assert torch.equal(result, results[0]), (name, shape, dtype)
    # A tensor in channels_last would be permuted if it were sent as it lies.
    image = torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last)
    names = {}
    exec(compile(forms["cat"][1], "cat", "exec"), names)
    gathered = names["gather"](image)  # type: ignore[operator]  # the function just defined
    assert torch.equal(gathered[2 * rank : 2 * rank + 2], image)
    _splice(rank)
    dist.destroy_process_group()


def _splice(rank: int) -> None:
    """What the page advises for a list that the local tensor is put back into: the same values and gradient."""
    import torch
    import torch.distributed as dist

    weights = torch.arange(12.0).reshape(4, 3)
    gradients, values = [], []
    for single in (False, True):
        x = torch.full((2, 3), rank + 1.0, requires_grad=True)
        if single:
            output = x.new_empty((2 * x.shape[0], *x.shape[1:]))
            dist.all_gather_into_tensor(output, x.detach().contiguous())
            output[rank * 2 : (rank + 1) * 2] = x
        else:
            parts = [torch.zeros_like(x) for _ in range(2)]
            dist.all_gather(parts, x)
            parts[rank] = x
            output = torch.cat(parts)
        (output * weights).sum().backward()
        assert x.grad is not None
        values.append(output.detach())
        gradients.append(x.grad)
    assert torch.equal(*values)
    assert torch.equal(*gradients)


@pytest.mark.nightly
@pytest.mark.slow
def test_two_processes_get_the_same_tensors_from_old_and_new_code(tmp_path: Path) -> None:
    ranges = [TorchRange((1, 13)), TorchRange((2, 13))]
    ranges = ranges if hasattr(torch.distributed, "all_gather_single") else ranges[:1]
    forms = {name: [HEAD + text, *(rewritten(name, target) for target in ranges)] for name, text in FORMS.items()}
    torch.multiprocessing.spawn(_run, (forms, str(tmp_path / "meeting")), nprocs=2)


def test_the_fix_is_for_a_person_as_a_backend_may_lack_the_collective() -> None:
    for text in FORMS.values():
        (finding,) = judged_for(HEAD + text, TorchRange((1, 13)))
        assert finding.fix is not None
        assert finding.fix.safety is Safety.UNSAFE


@pytest.mark.parametrize(
    ("minimum", "function"),
    [((2, 13), "all_gather_single"), ((2, 12), "all_gather_into_tensor"), ((1, 13), "all_gather_into_tensor")],
)
def test_the_fix_writes_what_the_oldest_version_has(minimum: tuple[int, int], function: str) -> None:
    assert f"dist.{function}(" in rewritten("cat", TorchRange(minimum))


def test_no_fix_where_no_stated_version_has_either() -> None:
    (finding,) = judged_for(HEAD + FORMS["cat"], TorchRange((1, 12), (1, 13)))
    assert finding.fix is None


def test_no_fix_for_gloo_before_it_could() -> None:
    text = f'{HEAD}dist.init_process_group("gloo")\n\n\n{FORMS["cat"]}'
    assert [finding.fix for finding in judged_for(text, None)] == [None]
    assert [finding.fix is None for finding in judged_for(text, TorchRange((2, 13)))] == [False]
