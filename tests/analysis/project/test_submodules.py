"""Are submodules found that `add_module` or `setattr` registers, and methods that `getattr(self, ...)` names?"""

from __future__ import annotations

import pytest

from tests.analysis.project.project import check

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
}


@pytest.mark.parametrize("files", FOUND.values(), ids=FOUND.keys())
def test_what_a_class_registers_under_a_name_is_called_by_that_name(files: dict[str, str]) -> None:
    check(files)
