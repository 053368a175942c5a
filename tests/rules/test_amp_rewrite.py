"""The rewrite of TRN801, run: nothing warns any more, and training gives the same bits."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.rules.catalogue import STATED, source
from trainlint.config.torch_range import TorchRange
from trainlint.engine.judge import judge
from trainlint.finding import Confidence, Finding, Safety
from trainlint.fixing import apply_fixes
from trainlint_rules.api.cuda_amp_namespace import CudaAmpNamespace

torch = pytest.importorskip("torch", minversion="2.4")


def findings(text: str, target: TorchRange | None = STATED.target_torch, path: str = "train.py") -> tuple[Finding, ...]:
    verdicts = judge(
        source(text, path),
        [CudaAmpNamespace()],
        replace(STATED, target_torch=target, min_confidence=Confidence.UNLIKELY),
    )
    assert verdicts.failures == ()
    return verdicts.findings


def rewritten(text: str, target: TorchRange | None = STATED.target_torch) -> str:
    """All fixes in one pass: they must not get in each other's way."""
    new = apply_fixes(source(text), findings(text, target), Safety.SAFE).text
    assert findings(new, target) == ()
    return new


def run(text: str, *, strict: bool) -> Any:
    """What `main()` of a text returns; old names may warn, and nothing may where `strict`."""
    with warnings.catch_warnings():
        warnings.simplefilter("error" if strict else "ignore")
        # A machine without CUDA says so in old and new code alike.
        warnings.filterwarnings("ignore", message=".*CUDA is not available.*")
        names: dict[str, Any] = {}
        exec(compile(text, "case", "exec"), names)
        main: Callable[[], Any] = names["main"]
        return main()


def assert_same_training(old: str, new: str) -> None:
    before, after = run(old, strict=False), run(new, strict=True)
    assert len(before) == len(after) > 0
    assert all(one.dtype == other.dtype and torch.equal(one, other) for one, other in zip(before, after, strict=True))


TRAINING = """
def main():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = {scaler}
    for _ in range(5):
        with {autocast}:
            loss = model(torch.randn(4, 8)).square().mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    return [loss.detach(), *(each.detach() for each in model.parameters())]
"""
SPELLINGS = {
    "dotted": ("import torch\n", "torch.{device}.amp.", ""),
    "module renamed": ("import torch\nimport torch.{device}.amp as mixed\n", "mixed.", ""),
    "module": ("import torch\nfrom torch.{device} import amp\n", "amp.", ""),
    "module with its own name": ("import torch.{device}.amp\n", "torch.{device}.amp.", ""),
    "names": ("import torch\nfrom torch.{device}.amp import GradScaler, autocast\n", "", ""),
    "deep names": (
        "import torch\nfrom torch.{device}.amp.autocast_mode import autocast\n"
        "from torch.{device}.amp.grad_scaler import GradScaler\n",
        "",
        "",
    ),
    "aliases": ("import torch\nfrom torch.{device}.amp import GradScaler as Scaler, autocast as cast\n", "", "alias"),
}
ARGUMENTS = {
    "cpu": [
        ("enabled=True", ""),
        ("enabled=True", "True, torch.bfloat16"),
        ("2.0**10, 2.0, 0.5, 100, True", "False"),
        ("init_scale=4.0", "enabled=True, dtype=torch.bfloat16, cache_enabled=False"),
    ],
    "cuda": [("enabled=False", ""), ("65536.0, enabled=False", "False"), ("", "True, torch.float16, True")],
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("device", ARGUMENTS)
def test_training_keeps_its_bits_and_loses_its_warnings(spelling: str, device: str) -> None:
    head, prefix, names = (part.format(device=device) for part in SPELLINGS[spelling])
    scaler, autocast = ("Scaler", "cast") if names else (f"{prefix}GradScaler", f"{prefix}autocast")
    for to_scaler, to_autocast in ARGUMENTS[device]:
        body = TRAINING.format(scaler=f"{scaler}({to_scaler})", autocast=f"{autocast}({to_autocast})")
        old = head + body
        with pytest.raises(FutureWarning):
            run(old, strict=True)
        new = rewritten(old)
        assert f"torch.{device}.amp." not in new.replace(f"import torch.{device}.amp\n", "")
        assert_same_training(old, new)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_each_fix_alone_leaves_code_that_trains(spelling: str) -> None:
    head, prefix, names = (part.format(device="cpu") for part in SPELLINGS[spelling])
    scaler, autocast = ("Scaler", "cast") if names else (f"{prefix}GradScaler", f"{prefix}autocast")
    old = head + TRAINING.format(scaler=f"{scaler}(enabled=True)", autocast=f"{autocast}(True)")
    for finding in findings(old):
        alone = apply_fixes(source(old), [finding], Safety.SAFE).text
        assert alone != old
        before, after = run(old, strict=False), run(alone, strict=False)
        assert all(torch.equal(one, other) for one, other in zip(before, after, strict=True))


DECORATED = """\
import torch
from torch.cuda.amp import custom_bwd, custom_fwd


class Square(torch.autograd.Function):
    @staticmethod
    {fwd}
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @custom_bwd
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return 2 * x * gradient


def main():
    x = torch.arange(4.0, requires_grad=True)
    Square.apply(x).sum().backward()
    return [x.grad]
"""


@pytest.mark.parametrize("fwd", ["@custom_fwd", "@custom_fwd(cast_inputs=torch.float32)"])
def test_custom_functions_keep_their_gradients(fwd: str) -> None:
    old = DECORATED.format(fwd=fwd)
    new = rewritten(old)
    assert "from torch.amp import custom_bwd, custom_fwd\n" in new
    assert_same_training(old, new)


def test_an_autocast_inside_another_one_keeps_its_own_type() -> None:
    old = (
        "import torch\n\n\n"
        "def product(x):\n    with torch.cpu.amp.autocast():\n        return x @ x\n\n\n"
        'def main():\n    with torch.autocast("cpu", dtype=torch.float16):\n        return [product(torch.eye(3))]\n'
    )
    new = rewritten(old)
    assert 'torch.amp.autocast("cpu", dtype=torch.bfloat16)' in new
    assert_same_training(old, new)


def test_a_decorated_method_keeps_its_type() -> None:
    old = (
        "import torch\n\n\nclass Net(torch.nn.Module):\n    @torch.cpu.amp.autocast()\n    def forward(self, x):\n"
        "        return x @ x\n\n\n"
        'def main():\n    with torch.autocast("cpu", dtype=torch.float16):\n        return [Net()(torch.eye(3))]\n'
    )
    new = rewritten(old)
    assert '@torch.amp.autocast("cpu", dtype=torch.bfloat16)\n' in new
    assert_same_training(old, new)


def test_a_test_for_the_old_class_changes_with_the_scaler() -> None:
    old = (
        "import torch\n\n\ndef is_scaler(value):\n    return isinstance(value, torch.cpu.amp.GradScaler)\n\n\n"
        "def main():\n    return [torch.tensor(is_scaler(torch.cpu.amp.GradScaler()))]\n"
    )
    new = rewritten(old)
    assert "isinstance(value, torch.amp.GradScaler)" in new
    assert_same_training(old, new)


def test_layout_quotes_and_comments_stay() -> None:
    old = (
        "import torch\n"
        "import torch.nn as nn\n"
        "scaler = torch.cuda.amp.GradScaler(\n"
        "    init_scale=2.0,  # a small one\n"
        "    growth_interval=10,\n"
        ")\n"
        "name = 'run'\n"
    )
    assert rewritten(old) == old.replace("torch.cuda.amp.GradScaler(\n", "torch.amp.GradScaler(\n    'cuda',\n")


@pytest.mark.parametrize(
    "old",
    [
        # Who calls it with what cannot be told.
        "import torch\ncontext = torch.cuda.amp.autocast\n",
        "import torch\n\n\nclass Scaler(torch.cuda.amp.GradScaler):\n    pass\n",
        "from torch.cuda.amp import autocast\n\n\ndef context(*given):\n    return autocast(*given)\n",
        # A second import would give the name its old meaning again.
        "from torch.cuda.amp import autocast\nfrom torch.cuda.amp import autocast\n\n\n"
        "def step():\n    with autocast():\n        pass\n",
        # Other files may import it from here.
        'from torch.cuda.amp import autocast\n\n__all__ = ["autocast"]\n\nwith autocast():\n    pass\n',
        # Old versions of PyTorch lack it, and the file has an answer for that.
        "try:\n    from torch.cuda.amp import autocast\nexcept ImportError:\n    pass\n\nwith autocast():\n    pass\n",
        "import torch\n\nif VERSION >= (1, 6):\n    scaler = torch.cuda.amp.GradScaler()\n",
    ],
)
def test_what_cannot_be_told_is_found_and_left_alone(old: str) -> None:
    assert {finding.fix for finding in findings(old)} == {None}


def test_a_name_that_others_import_from_a_package_stays() -> None:
    text = "from torch.cuda.amp import autocast\n\nwith autocast():\n    pass\n"
    assert [finding.fix for finding in findings(text, path="compat/__init__.py")] == [None]


@pytest.mark.parametrize(
    ("minimum", "symbols"),
    [
        ((1, 11), set()),
        ((1, 12), {"autocast"}),
        ((2, 3), {"autocast", "GradScaler"}),
        ((2, 4), {"autocast", "GradScaler", "custom_fwd"}),
    ],
)
def test_what_the_oldest_version_lacks_is_not_asked_for(minimum: tuple[int, int], symbols: set[str]) -> None:
    text = (
        "from torch.cuda.amp import GradScaler, autocast, custom_fwd\n\n"
        "scaler = GradScaler()\nforward = custom_fwd(print)\nwith autocast():\n    pass\n"
    )
    found = findings(text, TorchRange(minimum))
    assert len(found) == bool(symbols)
    assert all(symbol in finding.help for finding in found for symbol in symbols)
    new = rewritten(text, TorchRange(minimum))
    assert ("from torch.cuda.amp import" in new) == (len(symbols) < 3)
    assert ("from torch.amp import" in new) == bool(symbols)


def test_an_import_is_found_once_however_often_it_is_used() -> None:
    text = "from torch.cuda.amp import autocast\n\nwith autocast():\n    pass\nwith autocast(True):\n    pass\n"
    assert [finding.span.start_line for finding in findings(text)] == [1]


@pytest.mark.parametrize(
    "text",
    [
        "from torch.cuda.amp import autocast\n",
        "from torch.cuda import amp\nprint(amp)\n",
        "import torch\n\n\ndef step(scaler) -> torch.cuda.amp.GradScaler:\n    return scaler\n",
    ],
)
def test_what_never_warns_is_not_found(text: str) -> None:
    assert findings(text) == ()


def test_one_of_two_meanings_is_found_and_left_alone() -> None:
    text = (
        "import torch\n\nif torch.npu:\n    from torch.npu.amp import GradScaler\n"
        "else:\n    from torch.cuda.amp import GradScaler\nscaler = GradScaler()\n"
    )
    assert [(finding.span.start_line, finding.fix) for finding in findings(text)] == [(6, None)]
