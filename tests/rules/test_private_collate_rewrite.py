"""What the fix of TRN809 writes where the name is used below a module, and that each fix that is offered works."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import STATED, source
from trainlint.engine.judge import judge
from trainlint.finding import Finding, Safety
from trainlint.fixing import fix_to_fixpoint
from trainlint.source import SourceFile
from trainlint_rules.api.private_collate import PrivateCollate

REWRITTEN = {
    "import torch.utils.data._utils\nf = torch.utils.data._utils.collate.default_collate\n": (
        "import torch.utils.data._utils\nf = torch.utils.data.default_collate\n"
    ),
    "import torch.utils.data as tud\nf = tud._utils.collate.default_convert\n": (
        "import torch.utils.data as tud\nf = tud.default_convert\n"
    ),
    "from torch.utils import data\nf = data._utils.collate.default_collate.__name__\n": (
        "from torch.utils import data\nf = data.default_collate.__name__\n"
    ),
    "from torch.utils.data import _utils\n\n\nclass A:\n    f = _utils.collate.default_collate\n": (
        "import torch\nfrom torch.utils.data import _utils\n\n\nclass A:\n    f = torch.utils.data.default_collate\n"
    ),
    "def f(b):\n    import torch.utils.data._utils.collate\n"
    "    return torch.utils.data._utils.collate.default_collate(b)\n": (
        "def f(b):\n    import torch.utils.data._utils.collate\n    return torch.utils.data.default_collate(b)\n"
    ),
    "from torch.utils.data._utils.collate import default_collate, collate, default_convert as c\n"
    "f = default_collate, collate, c\n": (
        "from torch.utils.data import default_collate, default_convert as c\n"
        "from torch.utils.data._utils.collate import collate\nf = default_collate, collate, c\n"
    ),
}
NO_FIX = {
    "deleted": "from torch.utils.data._utils import collate\ndel collate.default_collate\n",
    "with a comment in it": (
        "from torch.utils.data._utils import collate\nf = (\n    collate  # why\n    .default_collate\n)\n"
    ),
    "no place for torch": ("from torch.utils.data._utils import collate\ntorch = None\nf = collate.default_collate\n"),
    "in an f-string": "from torch.utils.data._utils import collate\nf = f'{collate.default_collate(1)}'\n",
}


def findings(text: SourceFile) -> tuple[Finding, ...]:
    judged = judge(text, (PrivateCollate(),), STATED, known=(PrivateCollate,))
    assert not judged.failures
    return judged.findings


@pytest.mark.parametrize("before", REWRITTEN)
def test_uses_in_all_spellings_are_rewritten(before: str) -> None:
    result = fix_to_fixpoint(source(before), findings, Safety.SAFE)
    assert not result.unapplied
    assert result.source.text == REWRITTEN[before]


@pytest.mark.parametrize("text", NO_FIX.values(), ids=NO_FIX)
def test_what_cannot_be_rewritten_has_no_fix(text: str) -> None:
    found = findings(source(text))
    assert found
    assert all(finding.fix is None for finding in found)
