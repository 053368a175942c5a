"""What does a call run besides what it names: wrappers, hooks, functions that are handed over?"""

from __future__ import annotations

import pytest

from tests.analysis.project.project import check

WAYS: dict[str, dict[str, str]] = {
    "a decorator": {
        "deco.py": """
            import functools
            def timed(fn):
                @functools.wraps(fn)
                def inner(*args, **kwargs):
                    print(args)  #= step
                    return fn(*args, **kwargs)
                return inner
        """,
        "work.py": """
            from deco import timed
            @timed
            def log(loss):
                print(loss)  #= step
        """,
        "train.py": """
            from work import log
            for batch in train_loader:
                loss = model(batch)
                loss.backward()
                log(loss)
        """,
    },
    "a decorator with arguments on a method": {
        "deco.py": """
            import functools
            def timed(name):
                def outer(fn):
                    @functools.wraps(fn)
                    def inner(*args, **kwargs):
                        print(args)  #= step
                        return fn(*args, **kwargs)
                    return inner
                return outer
        """,
        "work.py": """
            from deco import timed
            class W:
                @timed('x')
                def note_it(self, loss):
                    print(loss)  #= step
        """,
        "train.py": """
            from work import W
            w = W()
            for batch in train_loader:
                loss = model(batch)
                loss.backward()
                w.note_it(loss)
        """,
    },
    "a bound method with arguments given": {
        "work.py": """
            class W:
                def note_it(self, loss, tag):
                    print(loss)  #= step
        """,
        "train.py": """
            from functools import partial
            from work import W
            note = partial(W().note_it, tag='train')
            for batch in train_loader:
                loss = model(batch)
                loss.backward()
                note(loss)
        """,
    },
    "hooks that a method puts into a list": {
        "hooks.py": """
            class Note:
                def note_it(self, runner):
                    print(runner)  #= inner
        """,
        "runner.py": """
            class Runner:
                def __init__(self):
                    self.hooks = []
                def register_hook(self, hook):
                    self.hooks.append(hook)
                def call_hooks(self):
                    for hook in self.hooks:
                        hook.note_it(self)
                def train(self, train_loader):
                    for batch in train_loader:
                        loss = self.model(batch)
                        loss.backward()
                        self.call_hooks()
        """,
        "train.py": """
            from hooks import Note
            from runner import Runner
            runner = Runner()
            runner.register_hook(Note())
            runner.train(train_loader)
        """,
    },
    "hooks that a derived class hands to its base": {
        "hooks.py": """
            class Note:
                def note_it(self, runner):
                    print(runner)  #= inner
        """,
        "runner.py": """
            class Runner:
                def __init__(self):
                    self._hooks = []
                def register_hooks(self, hooks):
                    self._hooks.extend(hooks)
                def train(self, train_loader):
                    for batch in train_loader:
                        loss = self.model(batch)
                        loss.backward()
                        for h in self._hooks:
                            h.note_it(self)
        """,
        "train.py": """
            from hooks import Note
            from runner import Runner
            class Main(Runner):
                def __init__(self):
                    super().__init__()
                    self.register_hooks(self.build_hooks())
                def build_hooks(self):
                    return [Note()]
            Main().train(train_loader)
        """,
    },
    "functions in a dict that an object holds": {
        "fns.py": """
            def mse(a, b):
                return (a - b).sum()  #= inner
        """,
        "runner.py": """
            from fns import mse
            class Runner:
                def __init__(self):
                    self.losses = {'mse': mse}
                def train(self, train_loader):
                    for x, y in train_loader:
                        loss = 0
                        for name, fn in self.losses.items():
                            loss = loss + fn(self.model(x), y)
                        loss.backward()
        """,
    },
    "a dataset without a known base class": {
        "data.py": """
            class Data:
                def __getitem__(self, i):
                    return self.load(i)  #= worker
                def load(self, i):
                    return i  #= worker
        """,
        "train.py": """
            from torch.utils.data import DataLoader
            from data import Data
            loader = DataLoader(Data(), num_workers=4)
        """,
    },
    "a mixin that calls what another mixin offers": {
        "mix.py": """
            class Logs:
                def after(self, loss):
                    self.write_row(loss)
        """,
        "rows.py": """
            class Rows:
                def write_row(self, loss):
                    print(loss)  #= step
        """,
        "train.py": """
            from mix import Logs
            from rows import Rows
            class W(Logs, Rows):
                pass
            w = W()
            for batch in train_loader:
                loss = model(batch)
                loss.backward()
                w.after(loss)
        """,
    },
    "map": {
        "work.py": """
            def note(x):
                print(x)  #= step
                return x
        """,
        "train.py": """
            from work import note
            for batch in train_loader:
                loss = model(batch)
                loss.backward()
                parts = list(map(note, batch))
        """,
    },
    "activation checkpointing": {
        "work.py": """
            def note(x):
                print(x)  #= step
                return x
        """,
        "train.py": """
            from torch.utils.checkpoint import checkpoint
            from work import note
            for batch in train_loader:
                loss = model(batch)
                loss.backward()
                parts = checkpoint(note, batch)
        """,
    },
    "a function that maps a nest and comes third": {
        "work.py": """
            def note(x):
                print(x)  #= step
                return x
        """,
        "train.py": """
            from torch import Tensor
            from lightning_utilities import apply_to_collection
            from work import note
            for batch in train_loader:
                loss = model(batch)
                loss.backward()
                parts = apply_to_collection(batch, Tensor, note)
        """,
    },
    "an autograd function": {
        "work.py": """
            import torch
            class Fn(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    print(x)  #= step
                    return x
                @staticmethod
                def backward(ctx, g):
                    return g  #= step
        """,
        "train.py": """
            from work import Fn
            for batch in train_loader:
                loss = model(batch)
                loss.backward()
                y = Fn.apply(batch)
        """,
    },
    "objects that are put under keys": {
        "work.py": """
            class W:
                def note_it(self, loss):
                    print(loss)  #= step
        """,
        "run.py": """
            from work import W
            class R:
                def __init__(self):
                    self.parts = {}
                    for k in 'ab':
                        self.parts[k] = W(k)
                def fit(self, train_loader):
                    for batch in train_loader:
                        loss = self.model(batch)
                        loss.backward()
                        self.parts['a'].note_it(loss)
        """,
    },
}


@pytest.mark.parametrize("files", WAYS.values(), ids=WAYS)
def test_functions_run_through_others(files: dict[str, str]) -> None:
    check(files)
