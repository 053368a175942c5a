"""What the fix of TRN810 writes: all uses of a file at once, and no `x = x`."""

from __future__ import annotations

import pytest

from tests.rules.catalogue import STATED, source
from trainlint.engine.judge import judge
from trainlint.finding import Finding, Safety
from trainlint.fixing import fix_to_fixpoint
from trainlint.source import SourceFile
from trainlint_rules.api.autograd_variable import AutogradVariable

IMPORTS = "import torch\nfrom torch.autograd import Variable\n"
REWRITTEN = {
    "x = torch.zeros(2)\nx = Variable(x)\nprint(x)\n": "x = torch.zeros(2)\nprint(x)\n",
    "def f():\n    y = torch.ones(2)\n    y = Variable(y)\n    return y\n": (
        "def f():\n    y = torch.ones(2)\n    return y\n"
    ),
    "x = Variable(torch.zeros(2))\ny = Variable(torch.ones(2))\n": "x = torch.zeros(2)\ny = torch.ones(2)\n",
    "x = torch.zeros(2)\ny = Variable(x)\n": "x = torch.zeros(2)\ny = x\n",
    "def f():\n    y = Variable(\n        torch.ones(\n            2,\n        )\n    )\n    return y\n": (
        "def f():\n    y = torch.ones(\n        2,\n    )\n    return y\n"
    ),
    "y = Variable(torch.ones(2,\n                        3))\n": "y = torch.ones(2,\n                        3)\n",
    "def f(x):\n    return Variable(x.data.new(2, 3).zero_())\n": ("def f(x):\n    return x.data.new(2, 3).zero_()\n"),
    "def f(x, y):\n    return Variable(x.data.new(2).fill_(y))\n": (
        "def f(x, y):\n    return x.data.new(2).fill_(y).detach()\n"
    ),
    "def f():\n\treturn [\n\t\tVariable(\n\t\t\ttorch.ones(\n\t\t\t\t2\n\t\t\t)\n\t\t),\n\t]\n": (
        "def f():\n\treturn [\n\t\ttorch.ones(\n\t\t\t2\n\t\t),\n\t]\n"
    ),
}
NO_FIX = {
    "one use is out of sight": "x = Variable(torch.zeros(2))\ny = Variable(*given)\n",
    "a comment in a line that would go": "x = torch.zeros(2)\nx = Variable(  # why\n    x\n)\n",
}


def findings(text: SourceFile) -> tuple[Finding, ...]:
    judged = judge(text, (AutogradVariable(),), STATED, known=(AutogradVariable,))
    assert not judged.failures
    return judged.findings


@pytest.mark.parametrize("before", REWRITTEN)
def test_no_use_and_no_import_is_left(before: str) -> None:
    result = fix_to_fixpoint(source(IMPORTS + before), findings, Safety.UNSAFE)
    assert not result.unapplied
    assert result.source.text == "import torch\n" + REWRITTEN[before]


@pytest.mark.parametrize("text", NO_FIX.values(), ids=NO_FIX)
def test_what_cannot_be_rewritten_has_no_fix(text: str) -> None:
    found = findings(source(IMPORTS + text))
    assert [finding.fix for finding in found] == [None]


def test_a_file_has_one_finding_for_all_uses() -> None:
    (found,) = findings(source(IMPORTS + "x = Variable(torch.zeros(2))\ny = [Variable(x), Variable(x)]\n"))
    assert "3 uses in this file" in found.message
