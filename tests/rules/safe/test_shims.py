"""Code that defines or looks up a new name is for old versions of PyTorch, too: no rule on old names rewrites it."""

from __future__ import annotations

import pytest

from tests.rules.safe.offered import fixes, safe

DIST = "import torch\nimport torch.distributed as dist\n\n"
AMP = "import torch\n\n"
USE = "with torch.cuda.amp.autocast():\n    run()\n"
NO_SHIM = """
def gather(output, shard, options):
    if "all_gather_into_tensor" in options and not hasattr(output, "device"):
        dist.barrier()
    dist._all_gather_base(output, shard)
"""
SHIMS = {
    "the new name is set where it is missing": DIST
    + """
if "reduce_scatter_tensor" not in dir(dist):
    dist.reduce_scatter_tensor = dist._reduce_scatter_base
    dist.all_gather_into_tensor = dist._all_gather_base


def gather(output, shard):
    dist._all_gather_base(output, shard)
""",
    "setattr": DIST
    + """
if not hasattr(torch.distributed, "all_gather_into_tensor"):
    setattr(dist, "all_gather_into_tensor", dist._all_gather_base)
""",
    "getattr with the old name as its default": DIST
    + """
gather = getattr(torch.distributed, "all_gather_into_tensor", torch.distributed._all_gather_base)
""",
    "a flag that is asked elsewhere": DIST
    + """
HAS_NEW = "all_gather_into_tensor" in vars(dist)


def gather(output, shard):
    if HAS_NEW:
        return new_way(output, shard)
    dist._all_gather_base(output, shard)
""",
    "a function called like the new name": DIST
    + """
def all_gather_into_tensor(output, shard, group=None):
    return dist._all_gather_base(output, shard, group)
""",
    "a method called like the new name": DIST
    + """
class Backend:
    def all_gather_into_tensor(self, output, shard):
        return dist._all_gather_base(output, shard)
""",
    "another name for it": "from torch.nn import init\n\nkaiming_normal_ = choose() or init.kaiming_normal\n\n\n"
    "def reset(layer):\n    init.kaiming_normal(layer.weight)\n",
    "the new name is tried": AMP
    + """
try:
    autocast = torch.amp.autocast
except AttributeError:
    autocast = None


def context():
    if autocast is None:
        return torch.cuda.amp.autocast()
    return autocast("cuda")
""",
    "the new name is imported in a try": AMP
    + """
try:
    from torch.amp import GradScaler as NewScaler
except ImportError:
    NewScaler = None


def scaler():
    return torch.cuda.amp.GradScaler()
""",
    "a default of getattr": AMP + "GradScaler = getattr(torch.amp, 'GradScaler', None) or torch.cuda.amp.GradScaler\n",
    "partial": """
import functools
import torch

if not hasattr(torch.amp, "custom_fwd"):
    custom_fwd = torch.cuda.amp.custom_fwd
else:
    custom_fwd = functools.partial(torch.amp.custom_fwd, device_type="cuda")


class Square(torch.autograd.Function):
    @staticmethod
    @torch.cuda.amp.custom_fwd
    def forward(ctx, x):
        return x * x
""",
    "the module of the new name is looked up": AMP
    + """
if "linalg" not in dir(torch):
    decompose = torch.qr


def basis(x):
    return torch.qr(x)
""",
}


@pytest.mark.parametrize("code", SHIMS.values(), ids=SHIMS)
def test_nothing_of_a_shim_is_rewritten(code: str) -> None:
    assert fixes(code) == {}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (DIST + NO_SHIM, "TRN812"),  # the word is a key of options, and the lookup asks about another object
        (AMP + "flags = {'autocast': True}\nassert 'autocast' in flags\n" + USE, "TRN801"),
        (AMP + "hasattr(torch.cuda.amp, 'autocast')\n" + USE, "TRN801"),
    ],
)
def test_what_only_resembles_a_shim_is_still_rewritten(code: str, expected: str) -> None:
    assert safe(code, expected) == {expected}
