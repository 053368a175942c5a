"""What calls of other files train."""

from __future__ import annotations

from tests.analysis.project.project import project
from trainlint.analysis.programs.steps import LoopKind


def test_calls_of_other_files_say_whether_they_train() -> None:
    steps = "def step(model, batch, optimizer):\n    model(batch).backward()\n    optimizer.step()\n"
    epoch = "from steps import step\n\n\ndef epoch(model, loader, optimizer):\n    for batch in loader:\n"
    files = {
        "steps.py": steps,
        "epochs.py": f"{epoch}        step(model, batch, optimizer)\n",
        "train.py": "from epochs import epoch\nfrom shared import shared\n\nepoch(1, 2, 3)\nshared(1, 2)\n",
        "shared.py": "def shared(number, ranks):\n    return number / ranks\n",
    }
    found = project(files).models
    assert list(found["epochs.py"].outside.training.values()) == [LoopKind.STEP]
    assert list(found["train.py"].outside.training.values()) == [LoopKind.EPOCH]
