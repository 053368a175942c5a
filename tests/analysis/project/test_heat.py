"""How often does a line run whose callers stand in other files, and how does it say so?"""

from __future__ import annotations

import pytest

from tests.analysis.project.project import check, each_step

PROJECTS: dict[str, dict[str, str]] = {
    "the step itself stands in another file": {
        "main.py": """
            from engine import train_one_epoch

            for epoch in range(9):
                train_one_epoch(model, train_loader)
                show(epoch)  #= epoch
        """,
        "engine.py": """
            from update import update

            def train_one_epoch(model, train_loader):
                for batch in train_loader:
                    update(model, batch)
                    show(batch)  #= step
        """,
        "update.py": """
            def update(model, batch):
                loss = model(batch).mean()
                loss.backward()
                show(loss)  #= step
        """,
    },
    "a loop that counts trains where what it calls does": {
        "main.py": """
            from update import update

            for index in range(10000):
                update(model, index)
                show(index)  #= step
        """,
        "update.py": """
            def update(model, index):
                loss = model(index).mean()
                loss.backward()
        """,
    },
    "the hottest of several callers counts": {
        "one.py": "from shared import note\nnote(0)\n",
        "two.py": each_step("from shared import note", "note(loss)"),
        "three.py": "from shared import note\nfor epoch in range(9):\n    note(epoch)\n",
        "shared.py": """
            def note(loss):
                print(loss)  #= step
        """,
    },
    "a caller in the same file is hotter": {
        "one.py": "from shared import note\nnote(0)\n",
        "shared.py": """
            def note(loss):
                print(loss)  #= step

            for batch in train_loader:
                loss = model(batch)
                loss.backward()
                note(loss)
        """,
    },
    "files that call each other in a circle": {
        "train.py": each_step("from one import ping", "ping(loss, 3)"),
        "one.py": "from two import pong\ndef ping(loss, n):\n    pong(loss, n - 1)  #= step\n",
        "two.py": "from one import ping\ndef pong(loss, n):\n    ping(loss, n - 1)  #= step\n",
    },
    "data workers call transforms of another file": {
        "data.py": """
            from torch.utils.data import Dataset
            from transforms import Compose, load

            class Images(Dataset):
                def __init__(self):
                    self.transform = Compose([])

                def __getitem__(self, index):
                    return self.transform(load(self.paths[index]))
        """,
        "transforms.py": """
            def load(path):
                return open(path)  #= worker

            class Compose:
                def __init__(self, parts):
                    self.parts = parts

                def __call__(self, image):
                    return image  #= worker
        """,
    },
    "a collate function of another file, by its name": {
        "data.py": """
            from torch.utils.data import DataLoader
            from collate import collate_padded

            train_loader = DataLoader(dataset, collate_fn=collate_padded)
        """,
        "collate.py": """
            from pad import pad

            def collate_padded(samples):
                return pad(samples)  #= worker
        """,
        "pad.py": """
            def pad(samples):
                return samples  #= worker
        """,
    },
    "a method of another file that takes one step of a group of batches": {
        "train.py": """
            from learner import take_step

            for batches in train_loader:
                print(batches)  #= step
                take_step(batches)
        """,
        "learner.py": """
            def take_step(batches):
                for batch in batches:
                    loss = network(batch)  #= inner
                    loss.backward()
                optimizer.step()  #= step
        """,
    },
    "an exception handler": {
        "train.py": """
            from rescue import free

            for batch in train_loader:
                try:
                    loss = model(batch)
                    loss.backward()
                except RuntimeError:
                    free()
        """,
        "rescue.py": "def free():\n    print('out of memory')  #= rare\n",
    },
}


@pytest.mark.parametrize("files", PROJECTS.values(), ids=PROJECTS)
def test_heat_flows_along_the_calls_from_file_to_file(files: dict[str, str]) -> None:
    check(files)


def test_chains_name_the_files_they_go_through() -> None:
    found = check(
        {
            "train.py": "\n" * 86
            + "from trainer import Trainer\nfor batch in train_loader:\n    loss = model(batch)\n    loss.backward()\n"
            + "    Trainer().update(loss)\n",
            "trainer.py": """
                from note import note

                class Trainer:
                    def update(self, loss):
                        note(loss)
            """,
            "note.py": "def note(loss):\n    print(loss)  #= step\n",
        }
    )
    assert found.heat("note.py", "note").chain == (
        "train.py:88: for batch in train_loader",
        "train.py:91: calls Trainer.update",
        "trainer.py:6: calls note",
    )
