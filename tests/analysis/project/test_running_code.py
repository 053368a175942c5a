"""In a project with programs, which code does nothing refer to?"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.analysis.project.project import project

PROGRAM = """
    from work import {names}

    def main():
        fit(model)
        use({used})

    if __name__ == "__main__":
        main()
"""
WORK = """
    def fit(model):
        for batch in train_loader:
            model(batch).backward()

    def fit_as_before(model):
        for batch in train_loader:
            model(batch).backward()
"""


def program(names: str = "fit", used: str = "") -> str:
    """A program that imports names of `work`, and uses them."""
    return PROGRAM.format(names=names, used=used or names)


def with_work(code: str, names: str = "fit") -> dict[str, str]:
    """A program, and a module of it with one more function or class."""
    return {"main.py": program(names), "work.py": WORK.replace("fit_as_before", "old") + code}


DEAD: dict[str, tuple[dict[str, str], set[str]]] = {
    "a function": ({"main.py": program(), "work.py": WORK}, {"fit_as_before"}),
    "all of a class": (
        with_work("""
    class Spare:
        def start(self):
            def inner():
                pass
            return inner
"""),
        {"old", "Spare.start", "Spare.start.<locals>.inner"},
    ),
    "one method of a class": (
        with_work(
            """
    class Kit(torch.nn.Module):
        def forward(self, x):
            return x
        def spare(self, x):
            return x
""",
            names="fit, Kit",
        ),
        {"old", "Kit.spare"},
    ),
    "what a package of a project that trains offers, and no program uses": (
        {"main.py": program(), "work.py": WORK, "__init__.py": "from .work import fit_as_before"},
        {"fit_as_before"},
    ),
    "what an installed library offers beside what the programs of its project use": (
        {
            "examples/main.py": program().replace("from work", "from kit.work"),
            "kit/__init__.py": "from kit.work import fit_as_before",
            "kit/work.py": WORK + "\n    def spare():\n        pass\n",
        },
        {"spare"},
    ),
    "what a package beside the program offers": (
        {
            "main.py": program().replace("from work", "from kit.work"),
            "kit/__init__.py": "from kit.work import fit_as_before",
            "kit/work.py": WORK + "\n    def spare():\n        pass\n",
        },
        {"fit_as_before", "spare"},
    ),
    "code of a benchmark": (
        {
            "main.py": program(),
            "benchmarks/work.py": "    from main import fit as measured\n" + WORK,
            "work.py": WORK.replace("_as_before", "_now"),
        },
        set(),
    ),
    "what a library offers whose program trains nothing": (
        {
            "main.py": "from work import shown\n\nif __name__ == '__main__':\n    shown()\n",
            "work.py": "__all__ = ['offered']\n"
            + "".join(f"def {name}():\n    pass\n" for name in ("shown", "offered", "spare", "handed_on")),
            "__init__.py": "from .work import handed_on",
        },
        {"spare"},
    ),
    "what is named in a string": (
        {"main.py": program() + '    HOW = "fit_as_before"\n', "work.py": WORK},
        set(),
    ),
    "what a decorator may keep": (with_work("\n    @TASKS.add\n    def spare():\n        pass\n"), {"old"}),
    "a method that a framework may call": (
        with_work(
            """
    import kit
    class Task(kit.Base):
        def spare(self):
            pass
""",
            names="fit, Task",
        ),
        {"old"},
    ),
    "functions that are looked up by their names": (
        {"main.py": program() + "    import work\n    how = getattr(work, name)\n", "work.py": WORK},
        set(),
    ),
    "functions of a module that a file imports whose options are gone through": (
        {"main.py": program() + "    import work\n    print(args.__dict__[name])\n", "work.py": WORK},
        {"fit_as_before"},
    ),
    "functions of a module that a file imports which looks up those of PyTorch": (
        {"main.py": program() + "    import work\n    from torch import nn\n    getattr(nn, name)\n", "work.py": WORK},
        {"fit_as_before"},
    ),
    "functions of a package that are looked up by their names": (
        {
            "main.py": program() + "    import kinds\n    how = vars(kinds).get(kinds.__dict__[name])\n",
            "kinds/__init__.py": "from work import *\n",
            "work.py": WORK,
        },
        set(),
    ),
    "functions that a configuration names": (
        {
            "main.py": program() + "    from hydra.utils import instantiate\n    how = instantiate(config.how)\n",
            "work.py": WORK,
        },
        set(),
    ),
    "a function of a module that other code imports, while a program takes things from others": (
        {
            "main.py": program()
            + "    from importlib import import_module\n    how = getattr(import_module(path), name)\n",
            "work.py": WORK,
            "plugin.py": "from work import fit\n\ndef extra():\n    fit(model)\n",
        },
        {"fit_as_before"},
    ),
    "functions of other files, while a file looks up its own": (
        {"main.py": program() + "    how = globals()[name]\n", "work.py": WORK},
        {"fit_as_before"},
    ),
    "a function with the name of one elsewhere": (
        {
            "main.py": program() + "    import old\n    old.fit_as_before(model)\n",
            "old.py": "    from work import fit\n\n    def fit_as_before(model):\n        fit(model)\n",
            "work.py": WORK,
        },
        {"fit_as_before"},
    ),
    "a function that a package hands on": (
        {
            "main.py": program() + "    import kit\n    kit.fit_as_before(model)\n",
            "kit/__init__.py": "from .inner import *\n",
            "kit/inner.py": "from work import *\n",
            "work.py": WORK,
        },
        set(),
    ),
    "a function of a module that a package hands on": (
        {
            "main.py": program() + "    import kit\n    kit.work.fit_as_before(model)\n",
            "kit/__init__.py": "import work\n",
            "work.py": WORK,
        },
        set(),
    ),
    "a name that an import gives to something else": (
        {
            "main.py": program("fit as fit_as_before", "fit_as_before"),
            "work.py": WORK,
        },
        {"fit_as_before"},
    ),
    "what only a comment and a docstring name": (
        with_work('\n    def fit_twice(model):\n        """As old."""\n        # old(model)\n', names="fit, fit_twice"),
        {"old"},
    ),
    "what only dead functions call": (
        with_work("""
    def first():
        second()
    def second():
        first()
        third()
    def third():
        used()
    def used():
        pass
    used()
"""),
        {"old", "first", "second", "third"},
    ),
    "a function of autograd that is called by its further name": (
        with_work(
            """
    class Act(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x
    act = Act.apply
""",
            names="fit, act",
        ),
        {"old"},
    ),
    "a function of a module of which a package hands on another name, while a program takes things from others": (
        {
            "main.py": program().replace("from work", "from kit")
            + "    from importlib import import_module\n    how = getattr(import_module(path), name)\n",
            "kit/__init__.py": "from .work import fit",
            "kit/work.py": WORK,
        },
        {"fit_as_before"},
    ),
    "a class that nothing builds, and its sibling": (
        with_work(
            """
    class Sampler(torch.nn.Module):
        def forward(self, x):
            return self.draw(x)
    class Slow(Sampler):
        def draw(self, x):
            return isinstance(x, Unused)
    class Unused(Sampler):
        def __init__(self):
            super(Unused, self).__init__()
        def draw(self, x: Unused):
            return x
""",
            names="fit, Slow",
        ),
        {"old", "Unused.__init__", "Unused.draw"},
    ),
    "a class that a field of a class that is built declares": (
        with_work(
            """
    class Options:
        inner: Inner
    class Inner:
        def __post_init__(self):
            pass
""",
            names="fit, Options",
        ),
        {"old"},
    ),
    "classes that a table holds": (
        with_work(
            """
    class Small:
        def start(self):
            pass
    class Large:
        def start(self):
            pass
    __all__ = {"small": Small, "large": Large}
    def build(name):
        return __all__[name]().start()
""",
            names="fit, build",
        ),
        {"old"},
    ),
    "what a list of offered names, a star import and itself name": (
        {
            "main.py": program().replace("from work", "from kit"),
            "kit.py": "from work import *\n",
            "work.py": WORK + "\n    __all__ = ['fit', 'initial']\n    def initial(x):\n        return initial(x)\n",
        },
        {"fit_as_before", "initial"},
    ),
    "methods that are looked up by a part of their name": (
        with_work(
            """
    class Kit:
        def start(self):
            return getattr(self, f"load_{self.kind}")()
        def load_text(self):
            pass
        def spare(self):
            pass
    def begin():
        return Kit().start()
""",
            names="fit, begin",
        ),
        {"old", "Kit.spare"},
    ),
    "methods of an object that is not known, by a part of their name": (
        with_work(
            """
    class Kit:
        def load_text(self):
            pass
        def save_text(self):
            pass
    def begin(kit, kind):
        return Kit(), getattr(kit, "load_" + kind)()
""",
            names="fit, begin",
        ),
        {"old", "Kit.save_text"},
    ),
    "methods of its own class that anything may name": (
        with_work(
            """
    class Kit:
        def start(self):
            return getattr(self, self.kind)()
        def spare(self):
            pass
    def begin():
        return Kit().start()
""",
            names="fit, begin",
        ),
        {"old"},
    ),
    "a method of an optimizer that is called like one of every tensor": (
        with_work(
            """
    class Slow(torch.optim.Optimizer):
        def step(self):
            self.state.to("cuda")
        def to(self, device):
            self.state = self.state.to(device)
    class Kit:
        def to(self, device):
            return self
""",
            names="fit, Slow, Kit",
        ),
        {"old", "Slow.to"},
    ),
    "what a package offers beside a module's demonstration, which trains nothing": (
        {
            "kit/__init__.py": "from kit.work import fit, Net",
            "kit/work.py": WORK
            + """
    class Net(torch.nn.Module):
        def forward(self, x):
            return x
    if __name__ == "__main__":
        Net()(torch.randn(2, 3)).sum().backward()
""",
        },
        {"fit_as_before"},
    ),
    "what a package offers beside a program that trains otherwise": (
        {
            "kit/__init__.py": "from kit.work import fit_as_before",
            "kit/work.py": WORK + "\n    if __name__ == '__main__':\n        fit(torch.nn.Linear(2, 3))\n",
        },
        {"fit_as_before"},
    ),
    "what only a test uses": (
        with_work("\n    def spare():\n        spare()\n")
        | {"tests/test_work.py": "import work\nwork.spare()\ndef test_spare():\n    work.spare()\n"},
        {"old", "spare"},
    ),
    "an entry point of a package": (
        with_work("\n    def begin():\n        pass\n")
        | {"setup.py": "import work\nsetup(entry_points={'console_scripts': ['kit = work:begin']})\n"},
        {"old"},
    ),
    "a library without a program": ({"use.py": "from work import fit\nfit(model)\n", "work.py": WORK}, set()),
    "a library that only a test runs": (
        {"test_work.py": program(), "work.py": WORK},
        set(),
    ),
    "a hook of Lightning": (
        with_work(
            """
    import lightning
    class Lit(lightning.LightningModule):
        def training_step(self, batch):
            return batch
""",
            names="fit, Lit",
        ),
        {"old"},
    ),
}


def unreferenced(files: Mapping[str, str]) -> set[str]:
    """The functions of `work.py` that nothing refers to."""
    models = project(files).models
    model = next(models[path] for path in ("benchmarks/work.py", "kit/work.py", "work.py") if path in models)
    return {item.qualified_name for item in model.outline.functions if model.reachability.is_unreferenced(item.body)}


@pytest.mark.parametrize(("files", "dead"), DEAD.values(), ids=DEAD.keys())
def test_what_nothing_refers_to(files: dict[str, str], dead: set[str]) -> None:
    assert unreferenced(files) == dead
