"""Who calls whom across files? What is called from the loop runs in each step."""

from __future__ import annotations

import pytest

from tests.analysis.project.project import check, each_step

TRAINER = """
    class Trainer:
        def update(self, loss):
            print(loss)  #= step
"""
"""A class whose method is to be found."""

FUNCTIONS_AND_METHODS: dict[str, dict[str, str]] = {
    "a method of an object made in the loop's file": {
        "train.py": each_step("from trainer import Trainer\ntrainer = Trainer()", "trainer.update(loss)"),
        "trainer.py": TRAINER,
    },
    "a class method and a static method": {
        "train.py": each_step("from trainer import Trainer", "Trainer.build(loss)", "Trainer.note(loss)"),
        "trainer.py": """
            class Trainer:
                @classmethod
                def build(cls, loss):
                    print(loss)  #= step

                @staticmethod
                def note(loss):
                    print(loss)  #= step
        """,
    },
    "an object of the module": {
        "train.py": each_step("from trainer import trainer", "trainer.update(loss)"),
        "trainer.py": TRAINER + "\n    trainer = Trainer()\n",
    },
    "an object by its module": {
        "train.py": each_step("import trainer", "trainer.shared.update(loss)"),
        "trainer.py": TRAINER + "\n    shared = Trainer()\n",
    },
    "an attribute of an attribute": {
        "train.py": """
            from parts import Parts

            class Program:
                def __init__(self):
                    self.parts = Parts()

                def run(self, train_loader):
                    for batch in train_loader:
                        loss = self.model(batch)
                        loss.backward()
                        self.parts.helper.update(loss)
        """,
        "parts.py": """
            from trainer import Trainer

            class Parts:
                def __init__(self):
                    self.helper = Trainer()
        """,
        "trainer.py": TRAINER,
    },
    "handed in by keyword, or left out": {
        "main.py": """
            from program import Program
            from trainer import Trainer

            Program(helper=Trainer()).run(train_loader)
        """,
        "program.py": """
            class Program:
                def __init__(self, helper=None):
                    self.helper = helper or Nothing()

                def run(self, train_loader):
                    for batch in train_loader:
                        loss = self.model(batch)
                        loss.backward()
                        self.helper.update(loss)

            class Nothing:
                pass
        """,
        "trainer.py": TRAINER,
    },
    "an attribute from a factory": {
        "train.py": """
            from factory import build_trainer

            class Program:
                def __init__(self, config):
                    self.helper = build_trainer(config)

                def run(self, train_loader):
                    for batch in train_loader:
                        loss = self.model(batch)
                        loss.backward()
                        self.helper.update(loss)
        """,
        "factory.py": """
            from trainer import Trainer

            def build_trainer(config):
                trainer = Trainer()
                trainer.name = config.name
                return trainer
        """,
        "trainer.py": TRAINER,
    },
    "a factory of several": {
        "train.py": each_step("from factory import build\nhelper = build(config)", "helper.update(loss)"),
        "factory.py": """
            from quick import Quick
            from trainer import Trainer

            def build(config):
                if config.quick:
                    return Quick()
                return Trainer()
        """,
        "trainer.py": TRAINER,
        "quick.py": TRAINER.replace("Trainer", "Quick"),
    },
    "a factory that is a class method": {
        "train.py": each_step(
            "from trainer import Trainer\nhelper = Trainer.from_config(config)", "helper.update(loss)"
        ),
        "trainer.py": """
            class Trainer:
                @classmethod
                def from_config(cls, config):
                    return cls()

                def update(self, loss):
                    print(loss)  #= step
        """,
    },
    "results of a factory, by their places": {
        "train.py": each_step("from factory import build\nmodel, helper = build(config)", "helper.update(loss)"),
        "factory.py": """
            import torch
            from trainer import Trainer

            def build(config):
                return torch.nn.Linear(2, 2), Trainer()
        """,
        "trainer.py": TRAINER,
    },
    "an argument that is handed on": {
        "main.py": """
            from loop import train
            from trainer import Trainer

            train(Trainer(), train_loader)
        """,
        "loop.py": """
            from inner import one_epoch

            def train(helper, train_loader):
                for epoch in range(9):
                    one_epoch(train_loader, helper=helper)
        """,
        "inner.py": """
            def one_epoch(train_loader, helper):
                for batch in train_loader:
                    loss = model(batch)
                    loss.backward()
                    helper.update(loss)
        """,
        "trainer.py": TRAINER,
    },
    "an attribute that is annotated where it is handed in": {
        "loop.py": """
            from trainer import Trainer

            class Program:
                def __init__(self, helper: Trainer):
                    self.helper = helper

                def run(self, train_loader):
                    for batch in train_loader:
                        loss = self.model(batch)
                        loss.backward()
                        self.helper.update(loss)
        """,
        "trainer.py": TRAINER,
    },
    "calling an object": {
        "train.py": each_step("from meter import Meter\nmeter = Meter()", "meter(loss)"),
        "meter.py": """
            class Meter:
                def __call__(self, loss):
                    print(loss)  #= step
        """,
    },
    "a method that two families have says nothing of an unknown object": {
        "train.py": each_step("import trainer, other", "context.engine.finish_update(loss)"),
        "trainer.py": """
            class Trainer:
                def finish_update(self, loss):
                    print(loss)  #= unknown
        """,
        "other.py": """
            class Other:
                def finish_update(self, loss):
                    print(loss)  #= unknown
        """,
    },
    "a common method of an unknown object says nothing": {
        "train.py": each_step("import trainer", "context.engine.step(loss)"),
        "trainer.py": """
            class Engine:
                def step(self, loss):
                    print(loss)  #= unknown
        """,
    },
    "a name of another project in the same folder": {
        "one/train.py": each_step("", "context.engine.finish_update(loss)"),
        "two/trainer.py": """
            class Trainer:
                def finish_update(self, loss):
                    print(loss)  #= unknown
        """,
    },
    "an object of the same name as a module": {
        "train.py": each_step("from trainer import Trainer\ntrainer = Trainer()", "trainer.update(loss)"),
        "trainer.py": TRAINER + "\n    def update(loss):\n        print(loss)  #= unknown\n",
    },
}


@pytest.mark.parametrize("files", FUNCTIONS_AND_METHODS.values(), ids=FUNCTIONS_AND_METHODS)
def test_methods_are_found_by_what_objects_are(files: dict[str, str]) -> None:
    check(files)
