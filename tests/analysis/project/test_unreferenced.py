"""In a project with programs, which code does nothing refer to?"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.analysis.project.project import project
from trainlint.analysis.frequency.unreferenced import mentions
from trainlint.analysis.syntax.walk import outline

PROGRAM = """
    from work import {names}

    def main():
        fit(model)

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


def with_work(code: str, names: str = "fit") -> dict[str, str]:
    """A program, and a module of it with one more function or class."""
    return {"main.py": PROGRAM.format(names=names), "work.py": WORK.replace("fit_as_before", "old") + code}


DEAD: dict[str, tuple[dict[str, str], set[str]]] = {
    "a function": ({"main.py": PROGRAM.format(names="fit"), "work.py": WORK}, {"fit_as_before"}),
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
    "what a package offers": (
        {"main.py": PROGRAM.format(names="fit"), "work.py": WORK, "__init__.py": "from .work import fit_as_before"},
        set(),
    ),
    "what is named in a string": (
        {"main.py": PROGRAM.format(names="fit") + '    HOW = "fit_as_before"\n', "work.py": WORK},
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
        {"main.py": PROGRAM.format(names="fit") + "    import work\n    how = getattr(work, name)\n", "work.py": WORK},
        set(),
    ),
    "functions of a package that are looked up by their names": (
        {
            "main.py": PROGRAM.format(names="fit")
            + "    import kinds\n    how = vars(kinds).get(kinds.__dict__[name])\n",
            "kinds/__init__.py": "from work import *\n",
            "work.py": WORK,
        },
        set(),
    ),
    "functions of modules that only the run names": (
        {
            "main.py": PROGRAM.format(names="fit")
            + "    from importlib import import_module\n    how = getattr(import_module(path), name)\n",
            "work.py": WORK,
        },
        set(),
    ),
    "functions of other files, while a file looks up its own": (
        {"main.py": PROGRAM.format(names="fit") + "    how = globals()[name]\n", "work.py": WORK},
        {"fit_as_before"},
    ),
    "a function with the name of one elsewhere": (
        {
            "main.py": PROGRAM.format(names="fit") + "    import old\n    old.fit_as_before(model)\n",
            "old.py": "    from work import fit\n\n    def fit_as_before(model):\n        fit(model)\n",
            "work.py": WORK,
        },
        {"fit_as_before"},
    ),
    "a function that a package hands on": (
        {
            "main.py": PROGRAM.format(names="fit") + "    import kit\n    kit.fit_as_before(model)\n",
            "kit/__init__.py": "from .inner import *\n",
            "kit/inner.py": "from work import *\n",
            "work.py": WORK,
        },
        set(),
    ),
    "a function of a module that a package hands on": (
        {
            "main.py": PROGRAM.format(names="fit") + "    import kit\n    kit.work.fit_as_before(model)\n",
            "kit/__init__.py": "import work\n",
            "work.py": WORK,
        },
        set(),
    ),
    "a name that an import gives to something else": (
        {
            "main.py": PROGRAM.format(names="fit as fit_as_before"),
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
    "a library without a program": ({"use.py": "from work import fit\nfit(model)\n", "work.py": WORK}, set()),
    "a library that only a test runs": (
        {"test_work.py": PROGRAM.format(names="fit"), "work.py": WORK},
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
    model = project(files).models["work.py"]
    return {item.qualified_name for item in model.outline.functions if model.is_unreferenced(item.body)}


@pytest.mark.parametrize(("files", "dead"), DEAD.values(), ids=DEAD.keys())
def test_what_nothing_refers_to(files: dict[str, str], dead: set[str]) -> None:
    assert unreferenced(files) == dead


@given(st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("ab_1 .-\n\u2014\u00e9\u00b7"))))
def test_the_words_of_a_file_are_those_of_a_pattern(text: str) -> None:
    assume("#" not in text)  # comments mention nothing
    found = mentions(text, outline(ast.parse("")))
    counts = Counter(re.findall(r"\w+", text))
    assert set(found.once.split()) == {word for word, count in counts.items() if count == 1}
    assert set(found.often.split()) == {word for word, count in counts.items() if count > 1}
