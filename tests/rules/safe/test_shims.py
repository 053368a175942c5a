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
    "setattr": DIST
    + """
if not hasattr(torch.distributed, "all_gather_into_tensor"):
    setattr(dist, "all_gather_into_tensor", dist._all_gather_base)
""",
    "a default of getattr": AMP + "GradScaler = getattr(torch.amp, 'GradScaler', None) or torch.cuda.amp.GradScaler\n",
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
