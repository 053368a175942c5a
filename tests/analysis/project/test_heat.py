"""How often does a line run whose callers stand in other files, and how does it say so?"""

from __future__ import annotations

import pytest

from tests.analysis.project.project import check, each_step
from trainlint.finding import Heat

PROJECTS: dict[str, dict[str, str]] = {
    "a branch needs what no call hands over": {
        "train.py": """
            from work import spread

            for batch in train_loader:
                loss = spread(model(batch), size=batch.size(0))
                loss.backward()
        """,
        "work.py": """
            def spread(values, size=None, mask=None):
                if mask is not None:
                    values = values[mask]  #= rare
                return values[:size]  #= step
        """,
    },
    "each kind of caller": {
        "train.py": """
            import work

            def main():
                work.prepare()
                for epoch in range(90):
                    work.begin(epoch)
                    for step, batch in enumerate(train_loader):
                        loss = model(batch)
                        loss.backward()
                        work.note(loss)
                        for group in optimizer.param_groups:
                            work.adjust(group)
                        if step % 100 == 0:
                            work.report(loss)
                    for batch in val_loader:
                        work.score(model(batch))
                work.finish()

            main()
        """,
        "work.py": """
            def prepare():
                print("ready")  #= once

            def begin(epoch):
                print(epoch)  #= epoch

            def note(loss):
                print(loss)  #= step
                for name in names:
                    print(name)  #= inner
                if index % 10 == 0:
                    print(loss)  #= rare

            def adjust(group):
                print(group)  #= inner

            def report(loss):
                print(loss)  #= rare

            def score(output):
                print(output)  #= eval-step

            def finish():
                print("done")  #= once

            def unused():
                print("nobody calls this")  #= unknown
        """,
    },
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
    "an evaluation in another file": {
        "main.py": """
            from evaluate import evaluate

            for epoch in range(9):
                for batch in train_loader:
                    model(batch).backward()
                evaluate(model, val_loader)
        """,
        "evaluate.py": """
            import torch
            from metrics import accuracy

            @torch.no_grad()
            def evaluate(model, val_loader):
                for batch in val_loader:
                    accuracy(model(batch))
                print("done")  #= epoch, gradients off
        """,
        "metrics.py": """
            def accuracy(output):
                return output.argmax()  #= eval-step, gradients off
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
    "through three files": {
        "train.py": each_step("from one import first", "first(loss)"),
        "one.py": "from two import second\ndef first(loss):\n    second(loss)\n",
        "two.py": "from three import third\ndef second(loss):\n    third(loss)\n",
        "three.py": "def third(loss):\n    print(loss)  #= step\n",
    },
    "there and back": {
        "train.py": """
            from helpers import each

            def note(loss):
                print(loss)  #= step

            for batch in train_loader:
                loss = model(batch)
                loss.backward()
                each(loss)
        """,
        "helpers.py": "import train\ndef each(loss):\n    train.note(loss)\n",
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
    "a step that a trainer of another file is given": {
        "train.py": """
            from ignite.engine import Engine
            from steps import update

            trainer = Engine(update)
        """,
        "steps.py": """
            def update(engine, batch):
                loss = model(batch).mean()
                loss.backward()
                print(loss)  #= step
        """,
    },
    "a generator of another file that the loop draws from": {
        "train.py": """
            from batches import forever

            for batch in forever(train_loader):
                loss = model(batch)
                loss.backward()
        """,
        "batches.py": """
            def forever(loader):
                while True:
                    for batch in loader:
                        print(batch)  #= step
                        yield batch
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
    "tests and benchmarks heat nothing": {
        "tests/test_note.py": each_step("from mine.note import note", "note(loss)"),
        "benchmarks/speed.py": each_step("from mine.note import note", "note(loss)"),
        "mine/__init__.py": "",
        "mine/note.py": "def note(loss):\n    print(loss)  #= unknown\n",
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


GRADIENTS: dict[str, dict[str, str]] = {
    "all callers have autograd off": {
        "one.py": "import torch\nfrom net import run\nwith torch.no_grad():\n    run(x)\n",
        "two.py": "import torch\nfrom net import run\n@torch.inference_mode()\ndef f():\n    run(x)\n",
        "net.py": "def run(x):\n    return x * 2  #= gradients off\n",
    },
    "one caller has it on": {
        "one.py": "import torch\nfrom net import run\nwith torch.no_grad():\n    run(x)\n",
        "two.py": "from net import run\nrun(x)\n",
        "net.py": "def run(x):\n    return x * 2  #= gradients on\n",
    },
    "a caller in the same file has it on": {
        "one.py": "import torch\nfrom net import run\nwith torch.no_grad():\n    run(x)\n",
        "net.py": "def run(x):\n    return x * 2  #= gradients on\n\ndef train():\n    run(y)\n",
    },
    "off two files away": {
        "one.py": "import torch\nfrom two import run\nwith torch.no_grad():\n    run(x)\n",
        "two.py": "from net import inner\ndef run(x):\n    inner(x)  #= gradients off\n",
        "net.py": "def inner(x):\n    return x * 2  #= gradients off\n",
    },
    "nobody calls it": {
        "one.py": "import net\n",
        "net.py": "def run(x):\n    return x * 2  #= gradients on\n",
    },
}


@pytest.mark.parametrize("files", GRADIENTS.values(), ids=GRADIENTS)
def test_autograd_is_off_only_where_all_callers_have_it_off(files: dict[str, str]) -> None:
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


def test_a_chain_that_comes_home_names_its_own_lines_as_any_other() -> None:
    found = check(
        {
            "train.py": "import work\ndef note(loss):\n    print(loss)  #= step\n" + each_step("", "work.each(loss)"),
            "work.py": "import train\ndef each(loss):\n    train.note(loss)\n",
        }
    )
    assert found.heat("train.py", "note").chain == (
        "train.py:5: for batch in train_loader",
        "train.py:8: calls each",
        "work.py:3: calls note",
    )


def test_what_only_a_name_links_is_less_sure() -> None:
    method = "class Engine:\n    def finish_update(self, loss):\n        print(loss)  #= step\n"
    sure = check({"train.py": each_step("from e import Engine\ne = Engine()", "e.finish_update(loss)"), "e.py": method})
    unsure = check({"train.py": each_step("import e", "thing.finish_update(loss)"), "e.py": method})
    assert sure.heat("e.py", "Engine.finish_update").confidence > 0.9
    assert unsure.heat("e.py", "Engine.finish_update").confidence < 0.8


def test_code_of_tests_may_be_heated_by_tests_but_is_never_surely_hot() -> None:
    found = check(
        {
            "tests/test_train.py": each_step("from tests.helpers import note", "note(loss)"),
            "tests/helpers.py": "def note(loss):\n    print(loss)  #= step\n",
        }
    )
    [block] = {block for block in found.models["tests/helpers.py"].outline.block_of.values() if block.parent}
    fact = found.models["tests/helpers.py"].heats.of(block)
    assert fact.heat is Heat.STEP
    assert fact.confidence <= 0.5
