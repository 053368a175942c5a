"""No fix is offered that leaves a call failing, or makes one fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.linked_project import findings_in, judged, write_project
from tests.rules.safe.offered import fixes
from trainlint.config import Overrides

CHECKPOINTED = """\
from torch.utils.checkpoint import checkpoint


def forward(layer, rows, places):
    def made(layer):
        def run(PARAMETERS):
            return layer(rows)

        return run

    def direct(PARAMETERS):
        return layer(rows)

    return checkpoint(FUNCTION, rows, places=places)
"""


@pytest.mark.parametrize("function", ["made(layer)", "direct"])
@pytest.mark.parametrize(
    ("parameters", "offered"), [("*rows", False), ("rows", False), ("rows, places", True), ("*rows, **named", True)]
)
def test_a_checkpoint_of_a_function_that_takes_no_keyword_is_left(
    function: str, parameters: str, offered: bool
) -> None:
    text = CHECKPOINTED.replace("PARAMETERS", parameters).replace("FUNCTION", function)
    assert ("TRN309" in fixes(text, "TRN309")) is offered


SAMPLED = """\
import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from backend import handed

sampler = DistributedSampler(dataset) if several else None
loader = DataLoader(dataset, 64, sampler=sampler)
TAKEN
for epoch in range(9):
    for rows, labels in taken:
        loss = torch.nn.functional.cross_entropy(model(rows), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("taken", "offered"),
    [("taken = loader", True), ("model, taken = handed(model, loader)", False), ("taken = handed(loader)", False)],
)
def test_a_loader_that_a_framework_gave_back_is_not_asked_for_its_sampler(taken: str, offered: bool) -> None:
    assert ("TRN108" in fixes(SAMPLED.replace("TAKEN", taken), "TRN108")) is offered


@pytest.mark.parametrize(
    ("start", "offered"), [("print('started')", False), ("torch.distributed.init_process_group('nccl')", True)]
)
def test_a_variable_for_nccl_is_left_in_a_program_without_processes(
    start: str, offered: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = (
        'import os\n\nimport torch\n\nos.environ["NCCL_BLOCKING_WAIT"] = "1"\n\n'
        f'if __name__ == "__main__":\n    {start}\n'
    )
    files = {
        "main.py": main,
        "other.py": "import torch\n",
        "pyproject.toml": '[project]\nname = "x"\nversion = "1"\ndependencies = ["torch>=2.4"]\n',
    }
    monkeypatch.chdir(write_project(tmp_path, files))
    found = [
        item for item in findings_in(judged(".", overrides=Overrides(preview=True)), "main.py") if item.code == "TRN532"
    ]
    assert [item.fix is not None for item in found] == [offered]
