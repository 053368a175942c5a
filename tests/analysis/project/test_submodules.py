"""Are submodules found that `add_module` or `setattr` registers, and methods that `getattr(self, ...)` names?"""

from __future__ import annotations

import pytest

from tests.analysis.project.project import check, each_step

_TRAIN = """
    from nets import Net
    net = Net()
    for batch in train_loader:
        loss = net(batch)
        loss.backward()
        optimizer.step()
"""


FOUND: dict[str, dict[str, str]] = {
    "a submodule under a constant name": {
        "parts.py": """
            from torch import nn


            class Head(nn.Module):
                def forward(self, x):
                    return x.sum()  #= step
        """,
        "nets.py": """
            import torch
            from parts import Head


            class Net(torch.nn.Module):
                def __init__(self):
                    self.add_module('head', Head())

                def forward(self, x):
                    return self.head(x)
        """,
        "train.py": _TRAIN,
    },
    "a constant name in a variable": {
        "parts.py": """
            from torch import nn


            class Head(nn.Module):
                def forward(self, x):
                    return x.sum()  #= step
        """,
        "nets.py": """
            import torch
            from parts import Head


            class Net(torch.nn.Module):
                def __init__(self):
                    name = 'head'
                    setattr(self, name, Head())

                def forward(self, x):
                    return self.head(x)
        """,
        "train.py": _TRAIN,
    },
    "layers appended to a list of modules that starts empty": {
        "parts.py": """
            from torch import nn


            class Layer(nn.Module):
                def forward(self, x):
                    return x.relu()  #= inner


            class Wide(nn.Module):
                def forward(self, x):
                    return x.tanh()  #= inner
        """,
        "nets.py": """
            import torch
            from parts import Layer, Wide


            class Net(torch.nn.Module):
                def __init__(self, depth):
                    self.layers = torch.nn.ModuleList()
                    for place in range(depth):
                        if place % 2 == 0:
                            self.layers.append(Layer())
                        else:
                            self.layers.append(Wide())

                def forward(self, x):
                    for place, layer in enumerate(self.layers):
                        x = layer(x)
                    return x
        """,
        "train.py": _TRAIN,
    },
    "layers put into a dict of modules, through a variable": {
        "parts.py": """
            from torch import nn


            class Layer(nn.Module):
                def forward(self, x):
                    return x.relu()  #= step
        """,
        "nets.py": """
            import torch
            from torch import nn
            from parts import Layer


            class Net(torch.nn.Module):
                def __init__(self, names):
                    layers = nn.ModuleDict()
                    for name in names:
                        layers[name] = Layer()
                    self.layers = layers

                def forward(self, x):
                    return self.layers['first'](x)
        """,
        "train.py": _TRAIN,
    },
    "layers under numbered names, read by the same names": {
        "parts.py": """
            from torch import nn


            class Layer(nn.Module):
                def forward(self, x):
                    return x.relu()  #= inner
        """,
        "nets.py": """
            import torch
            from parts import Layer


            class Net(torch.nn.Module):
                def __init__(self):
                    for place in range(4):
                        self.add_module('layer%d' % place, Layer())

                def forward(self, x):
                    for place in range(4):
                        x = getattr(self, f'layer{place}')(x)
                    return x
        """,
        "train.py": _TRAIN,
    },
    "layers whose names are kept in a list": {
        "parts.py": """
            from torch import nn


            class Layer(nn.Module):
                def forward(self, x):
                    return x.relu()  #= inner
        """,
        "nets.py": """
            import torch
            from parts import Layer


            class Net(torch.nn.Module):
                def __init__(self, names):
                    self.names = names
                    for name in names:
                        self.add_module(name, Layer())

                def forward(self, x):
                    for name in self.names:
                        x = getattr(self, name)(x)
                    return x
        """,
        "train.py": _TRAIN,
    },
    "a table of parts, a builder by name for each, and a base class that registers them": {
        "parts/__init__.py": """
            from .stems import Plain, Wide
            STEMS = {'plain': Plain, 'wide': Wide}
        """,
        "parts/stems.py": """
            from torch import nn


            class Plain(nn.Module):
                def forward(self, x):
                    return x.relu()  #= inner


            class Wide(nn.Module):
                def forward(self, x):
                    return x.tanh()  #= inner
        """,
        "heads/__init__.py": """
            from .sums import Sum
            from .means import Mean
            HEADS = {'sum': Sum, 'mean': Mean}
        """,
        "heads/sums.py": """
            from torch import nn


            class Sum(nn.Module):
                def forward(self, x):
                    return x.sum()  #= inner

                def loss_of(self):
                    return self.seen.sum()  #= step
        """,
        "heads/means.py": """
            from torch import nn


            class Mean(nn.Module):
                def forward(self, x):
                    return x.mean()  #= inner

                def loss_of(self):
                    return self.seen.mean()  #= step

                def never_called(self):
                    return self.seen.max()  #= unknown
        """,
        "base.py": """
            import torch
            import parts
            import heads


            class Base(torch.nn.Module):
                def __init__(self, cfg):
                    self.cfg = cfg
                    self.order = ['stem', 'head']

                def assemble(self):
                    state = {'parts': []}
                    for name in self.order:
                        part, state = getattr(self, 'make_{}'.format(name))(state)
                        self.add_module(name, part)
                    return state['parts']

                def make_stem(self, state):
                    stem = parts.STEMS[self.cfg.stem](width=3)
                    state['parts'].append(stem)
                    return stem, state

                def make_head(self, state):
                    head = heads.HEADS[self.cfg.head](width=3)
                    state['parts'].append(head)
                    return head, state
        """,
        "nets.py": """
            from base import Base


            class Net(Base):
                def __init__(self, cfg):
                    super().__init__(cfg)
                    self.parts = self.assemble()

                def forward(self, x):
                    for part in self.parts:
                        x = part(x)
                    return self.head.loss_of()
        """,
        "train.py": _TRAIN,
    },
    "the methods of a step by the names of tasks": {
        "nets.py": """
            import torch


            class Net(torch.nn.Module):
                def forward(self, batch, task):
                    return getattr(self, 'forward_' + task)(batch)

                def forward_text(self, batch):
                    return batch.sum()  #= step

                def forward_image(self, batch):
                    return batch.mean()  #= step

                def export_text(self, batch):
                    return batch.max()  #= unknown
        """,
        "train.py": _TRAIN,
    },
}


@pytest.mark.parametrize("files", FOUND.values(), ids=FOUND.keys())
def test_what_a_class_registers_under_a_name_is_called_by_that_name(files: dict[str, str]) -> None:
    check(files)


QUIET: dict[str, dict[str, str]] = {
    "the object's own methods are no submodules": {
        "parts.py": """
            from torch import nn


            class Head(nn.Module):
                def forward(self, mode=True):
                    return mode  #= unknown
        """,
        "nets.py": """
            import torch
            from parts import Head


            class Net(torch.nn.Module):
                def __init__(self, names):
                    for name in names:
                        self.add_module(name, Head())

                def forward(self, x):
                    return x.sum()
        """,
        "train.py": each_step("from nets import Net\nmodel = Net(names)", "model.train()", "model.parameters()"),
    },
    "an attribute that fits no registered name": {
        "parts.py": """
            from torch import nn


            class Layer(nn.Module):
                def forward(self, x):
                    return x.relu()  #= unknown
        """,
        "nets.py": """
            import torch
            from parts import Layer


            class Net(torch.nn.Module):
                def __init__(self):
                    for place in range(4):
                        self.add_module(f'layer{place}', Layer())

                def forward(self, x):
                    return self.head(x)
        """,
        "train.py": _TRAIN,
    },
    "a list of modules into which something else is put": {
        "parts.py": """
            from torch import nn


            class Layer(nn.Module):
                def forward(self, x):
                    return x.relu()  #= unknown
        """,
        "nets.py": """
            import torch
            from parts import Layer


            class Net(torch.nn.Module):
                def __init__(self):
                    self.layers = torch.nn.ModuleList()
                    self.spare = torch.nn.ModuleList()
                    self.layers.append(torch.nn.Linear(2, 2))
                    self.spare.append(Layer())

                def forward(self, x):
                    for layer in self.layers:
                        x = layer(x)
                    return x
        """,
        "train.py": _TRAIN,
    },
    "another object's submodule": {
        "parts.py": """
            from torch import nn


            class Head(nn.Module):
                def forward(self, x):
                    return x.sum()  #= unknown
        """,
        "nets.py": """
            import torch
            from parts import Head


            class Net(torch.nn.Module):
                def __init__(self, other):
                    other.add_module('head', Head())

                def forward(self, x):
                    return self.head(x)
        """,
        "train.py": _TRAIN,
    },
}


@pytest.mark.parametrize("files", QUIET.values(), ids=QUIET.keys())
def test_what_fits_no_registered_name_is_not_called(files: dict[str, str]) -> None:
    check(files)
