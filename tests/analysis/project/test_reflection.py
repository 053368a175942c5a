"""Which modules and attributes may a name mean that the program puts together? Each that fits the constant parts."""

from __future__ import annotations

import pytest

from tests.analysis.project.project import check

NAMES: dict[str, dict[str, str]] = {
    "a class of a module whose name is put together": {
        "recipes/a/task.py": """
            class Task:
                def train_step(self, batch):
                    print(batch)  #= step
        """,
        "recipes/b/task.py": """
            class Task:
                def train_step(self, batch):
                    print(batch)  #= step
        """,
        "recipes/__init__.py": "",
        "recipes/a/__init__.py": "",
        "recipes/b/__init__.py": "",
        "other/task.py": """
            class Task:
                def train_unknown(self, batch):
                    print(batch)  #= unknown
        """,
        "train.py": """
            import importlib
            task = getattr(importlib.import_module(f'recipes.{args.recipe}.task'), 'Task')(args)
            for batch in train_loader:
                loss = model(batch)
                loss.backward()
                task.train_step(batch)
        """,
    },
    "an attribute by a name that the run decides": {
        "nets/__init__.py": """
            from .tower import Tower
        """,
        "nets/tower.py": """
            import torch
            from torch import nn


            class Tower(nn.Module):
                def forward(self, views):
                    return views.sum()  #= step
        """,
        "train.py": """
            import nets
            net = getattr(nets, args.net)(width=3)

            for views in train_loader:
                loss = net(views)
                loss.backward()
                optimizer.step()
        """,
    },
    "a global by a name that the run decides": {
        "zoo.py": """
            from tower import Tower
            def make(name):
                return globals()[name]()
        """,
        "tower.py": """
            import torch
            from torch import nn


            class Tower(nn.Module):
                def forward(self, views):
                    return views.sum()  #= step
        """,
        "train.py": """
            from zoo import make
            net = make(args.net)

            for views in train_loader:
                loss = net(views)
                loss.backward()
                optimizer.step()
        """,
    },
    "an object by a dotted name": {
        "nets/__init__.py": "",
        "nets/tower.py": """
            import torch
            from torch import nn


            class Tower(nn.Module):
                def forward(self, views):
                    return views.sum()  #= step
        """,
        "train.py": """
            from pydoc import locate
            net = locate(f'nets.tower.{args.net}')(width=3)

            for views in train_loader:
                loss = net(views)
                loss.backward()
                optimizer.step()
        """,
    },
    "a class of the file itself, by sys.modules": {
        "train.py": """
            import nets
            net = nets.make(args.net)

            for views in train_loader:
                loss = net(views)
                loss.backward()
                optimizer.step()
        """,
        "nets.py": """
            import torch
            from torch import nn
            import sys

            class Tower(nn.Module):
                def forward(self, views):
                    return views.sum()  #= step

            def make(name):
                return getattr(sys.modules[__name__], name)()
        """,
    },
}


@pytest.mark.parametrize("files", NAMES.values(), ids=NAMES)
def test_a_name_that_the_run_decides_may_mean_each_that_fits(files: dict[str, str]) -> None:
    check(files)
