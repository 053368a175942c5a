"""What do functions of other files put into batches that no loader can pin?"""

from __future__ import annotations

import pytest

from tests.analysis.project.project import project
from trainlint.analysis.types.unpinnable import Unpinnable

TRAIN = """
    from torch.utils.data import DataLoader
    from work import {name}

    def main(model, optimizer, rows, device):
        kept = {made}
        loader = DataLoader({given}, batch_size=4)
        for batch in loader:
            model(batch).backward()
            optimizer.step()

    if __name__ == "__main__":
        main()
"""
MOVES = "def together(rows):\n    return stack(rows).to(DEVICE)\n"
KEEPS = "def together(rows):\n    return stack(rows).to('cpu')\n"
HELPED = "def together(rows):\n    return moved(rows)\n\ndef moved(rows):\n    return stack(rows).cuda()\n"
GRAPHS = "import dgl\n\ndef together(rows):\n    return dgl.batch(rows)\n"
ROWS = """
    from torch.utils.data import Dataset

    class Rows(Dataset):
        def __init__(self, rows):
            self.rows = rows

        def __getitem__(self, number):
            return self.rows[number]{moved}

        def together(self, rows):
            return stack(rows).to(self.device)
"""


@pytest.mark.parametrize(
    ("work", "name", "made", "given", "expected"),
    [
        (MOVES, "together", "None", "rows, collate_fn=together", (Unpinnable.ON_DEVICE,)),
        (HELPED, "together", "None", "rows, collate_fn=together", (Unpinnable.ON_DEVICE,)),
        (GRAPHS, "together", "None", "rows, collate_fn=together", (Unpinnable.GRAPH,)),
        (KEEPS, "together", "None", "rows, collate_fn=together", ()),
        (ROWS.format(moved=""), "Rows", "Rows(rows)", "kept, collate_fn=kept.together", (Unpinnable.ON_DEVICE,)),
        (ROWS.format(moved=".cuda()"), "Rows", "Rows(rows)", "kept", (Unpinnable.ON_DEVICE,)),
        (ROWS.format(moved=""), "Rows", "Rows(rows)", "kept", ()),
    ],
)
def test_what_cannot_be_pinned(work: str, name: str, made: str, given: str, expected: tuple[Unpinnable, ...]) -> None:
    found = project({"train.py": TRAIN.format(name=name, made=made, given=given), "work.py": work})
    told = found.facts_by_file["train.py"].unpinnable
    assert {item for items in told.values() for item in items} == set(expected)
