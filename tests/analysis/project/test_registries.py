"""Which classes does an entry of a table stand for? Each of them may run in each step."""

from __future__ import annotations

import textwrap

import pytest

from tests.analysis.project.project import check

REGISTRY = """
    class Registry:
        def __init__(self, name):
            self._items = {}

        def register(self, name=None):
            def put(cls):
                self._items[name or cls.__name__] = cls
                return cls
            return put

        def get(self, name):
            return self._items[name]

        def build(self, cfg):
            cls = self._items[cfg.pop("type")]
            return cls(**cfg)

    NETS = Registry("nets")
"""


def tower(decorator: str = "", imports: str = "", *, name: str = "Tower", heat: str = "step") -> str:
    """A module of this name, registered or not."""
    lines = [
        imports,
        "from torch import nn",
        decorator,
        f"class {name}(nn.Module):",
        "    def forward(self, views):",
        f"        return views.sum()  #= {heat}",
    ]
    return "\n".join(lines) + "\n"


def trained(made: str, imports: str) -> str:
    """A script that trains a network that it makes by a name."""
    loop = "for views in train_loader:\n    loss = net(views)\n    loss.backward()\n    optimizer.step()\n"
    return f"{imports}\nnet = {made}\n{loop}"


REGISTERED = tower("@NETS.register()", "from registry import NETS")
SEVEN = {f"nets/net{number}.py": tower(name="Net") for number in range(7)} | {"nets/__init__.py": ""}
ALL_SEVEN = ", ".join(f"net{number}" for number in range(7))

TABLES: dict[str, dict[str, str]] = {
    "a registry's get": {
        "registry.py": REGISTRY,
        "tower.py": REGISTERED,
        "train.py": trained("NETS.get(cfg.name)(width=3)", "import tower\nfrom registry import NETS"),
    },
    "a registry's build": {
        "registry.py": REGISTRY,
        "tower.py": REGISTERED,
        "train.py": trained("NETS.build(cfg)", "import tower\nfrom registry import NETS"),
    },
    "a factory that builds from a registry": {
        "registry.py": REGISTRY,
        "tower.py": REGISTERED,
        "factory.py": """
            from registry import NETS

            def make(cfg):
                net = NETS.build(cfg.net)
                return net.cuda()
        """,
        "train.py": trained("make(cfg)", "import tower\nfrom factory import make"),
    },
    "a decorator that fills a dict of its file": {
        "registry.py": """
            _NETS = {}

            def register(name):
                def put(cls):
                    _NETS[name] = cls
                    return cls
                return put

            def make(name, **options):
                return _NETS[name](**options)
        """,
        "tower.py": tower("@register('tower')", "from registry import register"),
        "train.py": trained("make(args.net, width=3)", "import tower\nfrom registry import make"),
    },
    "a decorator without arguments": {
        "registry.py": """
            NETS = dict()

            def register_net(cls):
                NETS[cls.__name__] = cls
                return cls
        """,
        "tower.py": tower("@register_net", "from registry import register_net"),
        "train.py": trained("NETS[args.net](width=3)", "import tower\nfrom registry import NETS"),
    },
    "registered functions that make the objects": {
        "registry.py": """
            _MAKERS = {}

            def register_net(function):
                _MAKERS[function.__name__] = function
                return function

            def create(name, **options):
                make = _MAKERS[name]
                return make(**options)
        """,
        "tower.py": tower(imports="from registry import register_net")
        + "\n@register_net\ndef tower_small(**options):\n    return Tower(**options)\n",
        "train.py": trained("create(args.net)", "import tower\nfrom registry import create"),
    },
    "what a package holds under a name": {
        "nets/__init__.py": "from .tower import Tower\n",
        "nets/tower.py": tower(),
        "train.py": trained("nets.__dict__[args.net](width=3)", "import nets"),
    },
    "a registry of a library": {
        "tower.py": tower("@NETS.register_module()", "from zoo_library import NETS"),
        "train.py": trained("NETS.build(cfg)", "import tower\nfrom zoo_library import NETS"),
    },
    "a class that a statement registers": {
        "registry.py": REGISTRY,
        "tower.py": tower(),
        "zoo.py": 'from registry import NETS\nfrom tower import Tower\nNETS.register("tower")(Tower)\n',
        "train.py": trained("NETS.get(cfg.name)(width=3)", "import zoo\nfrom registry import NETS"),
    },
    "a dict that is filled entry by entry": {
        "tower.py": tower(),
        "zoo.py": 'from tower import Tower\nNETS = {}\nNETS["tower"] = Tower\n',
        "train.py": trained("NETS[cfg.name](width=3)", "from zoo import NETS"),
    },
    "many classes in a dict of a module": SEVEN
    | {
        "zoo.py": f"from nets import {ALL_SEVEN}\nNETS = {{"
        + ", ".join(f'"{number}": net{number}.Net' for number in range(7))
        + "}\n",
        "train.py": trained("NETS[args.net](3)", "from zoo import NETS"),
    },
    "many modules in a dict that an object holds": SEVEN
    | {
        "base.py": f"from nets import {ALL_SEVEN}\n"
        + textwrap.dedent("""
            class Base:
                def __init__(self, args):
                    self.zoo = {TABLE}
                    self.net = self.build().cuda()

                def build(self):
                    raise NotImplementedError
        """).replace("TABLE", ", ".join(f'"{number}": net{number}' for number in range(7))),
        "train.py": """
            from base import Base
            from torch import nn

            class Run(Base):
                def build(self):
                    net = self.zoo[self.args.net].Net(self.args).float()
                    if self.args.multi:
                        net = nn.DataParallel(net)
                    return net

                def fit(self, train_loader):
                    for views in train_loader:
                        loss = self.net(views)
                        loss.backward()
        """,
    },
    "a registry that nobody in sight reads, in a project that trains": {
        "registry.py": 'from zoo_library import Registry\nNETS = Registry("nets")\n',
        "tower.py": tower("@NETS.register_module()", "from registry import NETS"),
        "train.py": trained("build_from_config(cfg)", "import tower\nfrom zoo_library import build_from_config"),
    },
}


@pytest.mark.parametrize("files", TABLES.values(), ids=TABLES)
def test_an_entry_may_be_each_that_the_table_holds(files: dict[str, str]) -> None:
    check(files)
