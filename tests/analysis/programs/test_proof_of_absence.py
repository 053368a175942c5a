"""The way into a training loop is whole, or the rules about missing things stay silent."""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model
from trainlint.analysis.programs.proof_of_absence import ProofOfAbsence, way_into_training
from trainlint.analysis.site import Site
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.contract.guards.programs import out_of_sight

LOOP = """
import torch
from torch import nn

model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Conv3d(3, 8, 3), nn.Conv2d(8, 8, 3)).cuda()
for images, labels in loader:
    loss = criterion(model(images.cuda()), labels.cuda())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def way(code: str, path: str = "train.py") -> ProofOfAbsence | None:
    file = file_model(code, path)
    site = Site(file, file.outline.loops[-1])
    found = way_into_training(site)
    return None if found is None or out_of_sight.holds(site) or found.uses(FactKind.FRAMEWORK) else found


def test_a_loop_of_a_script_has_a_whole_way_with_its_layers() -> None:
    found = way(LOOP)
    assert found is not None
    assert found.details(FactKind.NETWORK) == {"conv2d", "conv3d"}
    assert not found.uses(FactKind.AUTOCAST, FactKind.GRAD_SCALER)


INDENTED = "\n".join("    " + line for line in LOOP.strip().split("\n")[3:])


@pytest.mark.parametrize(
    "code",
    [
        "import torch\nfrom torch import nn\ndef train(loader):\n" + INDENTED,
        LOOP.replace(".cuda()", ""),
        LOOP.replace("import torch\n", "import torch\nimport torch.distributed.rpc as rpc\n"),
        LOOP.replace("import torch\n", "import torch\nfrom accelerate import Accelerator\na = Accelerator()\n"),
        LOOP.replace("    loss.backward()\n    optimizer.step()\n", ""),
        "def act():\n    for step in range(9):\n        env.step(policy.cuda())\n        loss.backward()\nact()\n",
    ],
    ids=["nobody calls it", "no CUDA", "remote", "framework", "no training", "simulator"],
)
def test_other_loops_have_none(code: str) -> None:
    assert way(code) is None


def test_tests_and_benchmarks_have_none() -> None:
    assert way(LOOP, "tests/test_train.py") is None


def test_attention_written_out_counts_where_its_class_is_built() -> None:
    code = LOOP.replace(
        "model = ",
        "class Attention(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n\n"
        "    def forward(self, q):\n        return (q @ q.mT).softmax(-1) @ q\n\n\n"
        "attention = Attention()\nmodel = ",
    )
    found = way(code)
    assert found is not None
    assert "attention" in found.details(FactKind.NETWORK)
