"""Classes whose bases stand in other files: what is inherited, overridden and called through a base."""

from __future__ import annotations

import pytest

from tests.analysis.project.project import check, each_step

PROJECTS: dict[str, dict[str, str]] = {
    "a base of a base, by its module": {
        "train.py": each_step("from mine import Mine\nmine = Mine()", "mine.update(loss)"),
        "mine.py": "import middle\nclass Mine(middle.Middle):\n    pass\n",
        "middle.py": "from base import *\nclass Middle(Base):\n    pass\n",
        "base.py": """
            class Base:
                def update(self, loss):
                    print(loss)  #= step
        """,
    },
    "the class's own method comes before that of its base": {
        "train.py": each_step("from mine import Mine\nmine = Mine()", "mine.update(loss)"),
        "mine.py": """
            from base import Base

            class Mine(Base):
                def update(self, loss):
                    print(loss)  #= step
        """,
        "base.py": """
            class Base:
                def update(self, loss):
                    print(loss)  #= unknown
        """,
    },
    "the base calls what derived classes fill in": {
        "base.py": """
            class Base:
                def train(self, train_loader):
                    for batch in train_loader:
                        loss = self.compute(batch)
                        loss.backward()
                        self.note(loss)

                def compute(self, batch):
                    raise NotImplementedError

                def note(self, loss):
                    pass
        """,
        "mine.py": """
            from base import Base

            class Mine(Base):
                def compute(self, batch):
                    return batch.mean()  #= step

                def note(self, loss):
                    print(loss)  #= step

                def other(self, loss):
                    print(loss)  #= unknown
        """,
    },
    "what derived classes fill in, though the base does not name it": {
        "base.py": """
            class Base:
                def train(self, train_loader):
                    for batch in train_loader:
                        loss = self.work_out(batch)
                        loss.backward()
        """,
        "mine.py": """
            from base import Base

            class Mine(Base):
                def work_out(self, batch):
                    return batch.mean()  #= step
        """,
    },
    "super": {
        "mine.py": """
            from base import Base

            class Mine(Base):
                def train(self, train_loader):
                    for batch in train_loader:
                        loss = self.model(batch)
                        loss.backward()
                        self.note(loss)

                def note(self, loss):
                    super().note(loss)
        """,
        "base.py": """
            class Base:
                def note(self, loss):
                    print(loss)  #= step
        """,
    },
    "super of long ago, and the base by its name": {
        "mine.py": """
            from base import Base

            class Mine(Base):
                def train(self, train_loader):
                    for batch in train_loader:
                        loss = self.model(batch)
                        loss.backward()
                        super(Mine, self).note(loss)
                        Base.tell(self, loss)
        """,
        "base.py": """
            class Base:
                def note(self, loss):
                    print(loss)  #= step

                def tell(self, loss):
                    print(loss)  #= step
        """,
    },
    "an attribute that the base's constructor makes": {
        "mine.py": """
            from base import Base

            class Mine(Base):
                def train(self, train_loader):
                    for batch in train_loader:
                        loss = self.model(batch)
                        loss.backward()
                        self.helper.update(loss)
        """,
        "base.py": """
            from helper import Helper

            class Base:
                def __init__(self):
                    self.helper = Helper()
        """,
        "helper.py": """
            class Helper:
                def update(self, loss):
                    print(loss)  #= step
        """,
    },
    "an attribute that only derived classes make": {
        "base.py": """
            class Base:
                def train(self, train_loader):
                    for batch in train_loader:
                        loss = self.model(batch)
                        loss.backward()
                        self.helper.update(loss)
        """,
        "mine.py": """
            from base import Base
            from helper import Helper

            class Mine(Base):
                def __init__(self):
                    self.helper = Helper()
        """,
        "helper.py": """
            class Helper:
                def update(self, loss):
                    print(loss)  #= step
        """,
    },
    "an object in an attribute that is named like a tensor": {
        "train.py": each_step("from mine import Mine\nmine = Mine()", "mine.update(loss)"),
        "mine.py": """
            from table import Table

            class Mine:
                def __init__(self):
                    self.targets = Table()
                    self.image_matcher = Table()

                def update(self, loss):
                    self.targets.assign(loss)
                    self.image_matcher.pair(loss)
        """,
        "table.py": """
            class Table:
                def assign(self, loss):
                    print(loss)  #= step

                def pair(self, loss):
                    print(loss)  #= step
        """,
    },
    "a mixin": {
        "mine.py": """
            from notes import Notes
            from base import Base

            class Mine(Notes, Base):
                def train(self, train_loader):
                    for batch in train_loader:
                        loss = self.model(batch)
                        loss.backward()
                        self.note(loss)
        """,
        "base.py": "class Base:\n    def note(self, loss):\n        print(loss)  #= unknown\n",
        "notes.py": "class Notes:\n    def note(self, loss):\n        print(loss)  #= step\n",
    },
    "classes of the same name in two files": {
        "train.py": each_step("from one import Helper\nhelper = Helper()", "helper.update(loss)"),
        "one.py": "class Helper:\n    def update(self, loss):\n        print(loss)  #= step\n",
        "two.py": "class Helper:\n    def update(self, loss):\n        print(loss)  #= unknown\n",
    },
    "a class that derives from one of its own name": {
        "train.py": each_step("from mine import Helper\nhelper = Helper()", "helper.update(loss)"),
        "mine.py": "import base\nclass Helper(base.Helper):\n    pass\n",
        "base.py": "class Helper:\n    def update(self, loss):\n        print(loss)  #= step\n",
    },
    "modules that are put in a list one by one": {
        "train.py": """
            from net import Net

            model = Net()
            for batch in train_loader:
                loss = model(batch)
                loss.backward()
        """,
        "net.py": """
            from torch import nn
            from block import Block

            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    layers = []
                    for size in (1, 2, 4):
                        layers.append(Block(size))
                    self.body = nn.Sequential(*layers)

                def forward(self, x):
                    return self.body(x)
        """,
        "block.py": """
            from torch import nn

            class Block(nn.Module):
                def forward(self, x):
                    return x.relu()  #= step
        """,
    },
    "a framework behind a base in another file": {
        "mine.py": """
            from base import Base

            class Mine(Base):
                def training_step(self, batch, index):
                    return self.model(batch)  #= step

                def validation_step(self, batch, index):
                    return self.model(batch)  #= eval-step, gradients off

                def configure_optimizers(self):
                    return None  #= once
        """,
        "base.py": "import lightning as L\nclass Base(L.LightningModule):\n    pass\n",
    },
    "modules that a module holds in order": {
        "train.py": """
            from net import Net

            model = Net()
            for batch in train_loader:
                loss = model(batch)
                loss.backward()
        """,
        "net.py": """
            from torch import nn
            from block import Block

            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.blocks = nn.ModuleList([Block() for _ in range(4)])

                def forward(self, x):
                    for block in self.blocks:
                        x = block(x)
                    return x
        """,
        "block.py": """
            from torch import nn

            class Block(nn.Module):
                def forward(self, x):
                    return x.relu()  #= inner
        """,
    },
}


@pytest.mark.parametrize("files", PROJECTS.values(), ids=PROJECTS)
def test_classes_are_known_through_their_bases(files: dict[str, str]) -> None:
    check(files)
