"""Which code does no training program of a project reach?"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.analysis.project.project import project

TRAIN = """
    import torch
    from nets import Tower
    from engine import fit

    def main():
        model = Tower().cuda()
        fit(model, torch.optim.SGD(model.parameters(), 0.1))

    if __name__ == "__main__":
        main()
"""
ENGINE = """
    from losses import smoothed

    def fit(model, optimizer):
        for batch, labels in train_loader:
            loss = smoothed(model(batch), labels)
            loss.backward()
            optimizer.step()
"""
LOSSES = """
    import torch

    def smoothed(scores, labels):
        return torch.nn.functional.cross_entropy(scores, labels)
"""
NETS = """
    from torch import nn

    class Tower(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 3)

        def forward(self, x):
            return self.layer(x)
"""
PROGRAM = {"train.py": TRAIN, "engine.py": ENGINE, "losses.py": LOSSES, "nets.py": NETS}
ENCODER = """
    from torch import nn

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 3)

        def forward(self, wave):
            return self.layer(wave)
"""
PREPARE = """
    import torch
    from nets import Tower
    from encoder import Encoder

    @torch.no_grad()
    def prepare(paths):
        encoder = Encoder().cuda()
        return [encoder(read(path)) for path in paths]

    if __name__ == "__main__":
        prepare(paths)
"""
RECOGNIZE = """
    from nets import Tower
    from search import beam

    def recognize(path):
        return beam(Tower().cuda(), path)

    if __name__ == "__main__":
        recognize("a.wav")
"""


def with_class(code: str, **others: str) -> dict[str, str]:
    """The program, in which more code stands beside the network."""
    return PROGRAM | {"nets.py": NETS + code} | others


UNREACHED: dict[str, tuple[dict[str, str], str, set[str]]] = {
    "an encoder that another program uses for features": (
        PROGRAM | {"encoder.py": ENCODER, "prepare.py": PREPARE},
        "encoder.py",
        {"Encoder.__init__", "Encoder.forward"},
    ),
    "a search that another program decodes with": (
        PROGRAM | {"search.py": "def beam(model, path):\n    return model(path)", "recognize.py": RECOGNIZE},
        "search.py",
        {"beam"},
    ),
    "a method that its own file names in an import, and whose decorator keeps nothing": (
        PROGRAM
        | {
            "nets.py": "    import torch\n    from search.beam import best\n"
            + NETS
            + """
        @torch.no_grad()
        def beam(self, x):
            return best(self(x))
"""
        },
        "nets.py",
        {"Tower.beam"},
    ),
    "a network with a decorator for its documentation": (
        PROGRAM
        | {
            "encoder.py": ENCODER.replace("    class", "    @add_start_docstrings('text')\n    class"),
            "prepare.py": PREPARE,
        },
        "encoder.py",
        {"Encoder.__init__", "Encoder.forward"},
    ),
    "a method of the trained network that another program calls": (
        with_class(
            "\n        def translate(self, x):\n            return self(x)\n",
            **{"say.py": "from nets import Tower\ndef main():\n    print(Tower().translate(1))\nmain()\n"},
        ),
        "nets.py",
        {"Tower.translate"},
    ),
}
REACHED: dict[str, tuple[dict[str, str], str]] = {
    "a helper two files away from the program": (PROGRAM, "losses.py"),
    "a module whose object is not known where it is called": (
        PROGRAM
        | {
            "train.py": TRAIN.replace("model = Tower().cuda()", "model = wrapped(Tower, Encoder())").replace(
                "from engine", "from encoder import Encoder\n    from engine"
            ),
            "encoder.py": ENCODER,
        },
        "encoder.py",
    ),
    "a method that is called by its name alone": (
        with_class("\n        def score(self, x):\n            return self(x)\n")
        | {"engine.py": ENGINE.replace("smoothed(model(batch), labels)", "anything(model).score(batch)")},
        "nets.py",
    ),
    "a network that a registry builds": (
        PROGRAM
        | {
            "encoder.py": "    from kit import NETS" + ENCODER.replace("    class", "    @NETS.register()\n    class"),
            "train.py": TRAIN.replace("from engine", "import encoder\n    from engine"),
        },
        "encoder.py",
    ),
    "a network that a decorator may keep": (
        PROGRAM
        | {
            "encoder.py": "    from kit import keep" + ENCODER.replace("    class", "    @keep\n    class"),
            "train.py": TRAIN.replace("from engine", "import encoder\n    from engine"),
        },
        "encoder.py",
    ),
    "a network that a statement puts into a registry": (
        PROGRAM
        | {
            "encoder.py": "    from kit import NETS" + ENCODER + "\n    NETS.register(Encoder)\n",
            "train.py": TRAIN.replace("from engine", "import encoder\n    from engine"),
        },
        "encoder.py",
    ),
    "a method that a method of the same class calls of an object that is not known": (
        with_class(
            "\n        def score(self, x):\n            return anything(self).encode(x)\n"
            "\n        def encode(self, x):\n            return x\n"
        )
        | {"engine.py": ENGINE.replace("smoothed(model(batch), labels)", "anything(model).score(batch)")},
        "nets.py",
    ),
    "a Lightning module beside a program with a loop of its own": (
        PROGRAM
        | {
            "module.py": """
    import lightning
    from nets import Tower

    class Task(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = anything(Tower())

        def training_step(self, batch, index):
            return self.loss(batch)

        def loss(self, batch):
            return self.net(batch).sum()

        def train_dataloader(self):
            return loader
""",
            "run.py": """
    import lightning
    from module import Task

    def main():
        lightning.Trainer().fit(Task())

    main()
""",
        },
        "module.py",
    ),
    "a trainer whose method is called through an object that is not known": (
        PROGRAM
        | {
            "trainer.py": """
    class Runner:
        def __init__(self, model):
            self.model = model

        def run(self):
            for batch in train_loader:
                self.model(batch).backward()
""",
            "encoder.py": ENCODER,
            "fit.py": """
    from nets import Tower
    from encoder import Encoder
    from trainer import Runner

    def main():
        anything(Runner(anything(Encoder()))).run()

    main()
""",
        },
        "encoder.py",
    ),
    "everything, where a configuration names classes": (
        PROGRAM
        | {
            "encoder.py": ENCODER,
            "train.py": TRAIN.replace("Tower().cuda()", "instantiate(config.model)").replace(
                "from nets import Tower", "from hydra.utils import instantiate\n    import encoder"
            ),
        },
        "encoder.py",
    ),
    "everything, where no program trains": (
        {"encoder.py": ENCODER, "prepare.py": PREPARE, "nets.py": NETS},
        "encoder.py",
    ),
    "everything in a package that offers its training, of which a module only shows itself": (
        {
            "kit/__init__.py": "from kit.engine import fit\nfrom kit.encoder import Encoder",
            "kit/engine.py": ENGINE.replace("from losses", "from kit.losses"),
            "kit/losses.py": LOSSES,
            "kit/encoder.py": ENCODER
            + """
    if __name__ == "__main__":
        Encoder().encode(torch.randn(2, 3)).sum().backward()
""",
        },
        "kit/encoder.py",
    ),
}


def untrained(files: Mapping[str, str], path: str) -> set[str]:
    """The functions of a file that no training program reaches."""
    return set(project(files).facts_by_file[path].untrained)


@pytest.mark.parametrize(("files", "path", "expected"), UNREACHED.values(), ids=UNREACHED)
def test_what_no_training_program_reaches(files: dict[str, str], path: str, expected: set[str]) -> None:
    assert untrained(files, path) == expected


@pytest.mark.parametrize(("files", "path"), REACHED.values(), ids=REACHED)
def test_what_a_training_program_may_reach(files: dict[str, str], path: str) -> None:
    assert untrained(files, path) == set()
