"""What a file's bytes show before it is parsed: imports, methods, and whether it names a device."""

from __future__ import annotations

import pickle
import re
import sys

import pytest

from trainlint.analysis.project import glance as glancing
from trainlint.analysis.project.glance import glance

IMPORTS = {
    "a module": ("import os.path\n", ["os.path"]),
    "two modules, one of them under another name": ("import a.b as c, d\n", ["a.b", "d"]),
    "a name of a module": ("from a.b import c\n", ["a.b.c"]),
    "names in parentheses, over several lines": ("from a import (\n    b,\n    c as d,\n)\n", ["a.b", "a.c"]),
    "a module beside": ("from . import a\n", [".a"]),
    "a name of the package around": ("from ..a import b\n", ["..a.b"]),
    "all names of a module": ("from a import *\n", ["a"]),
    "inside a function": ("def f():\n    import a\n", ["a"]),
    "an import of importlib": ("import importlib\n", ["importlib"]),
    "after a comment on the line": ("import a  # and import b\n", ["a"]),
    "behind a byte order mark": ("\ufeffimport a\n", ["a"]),
    "names in other scripts": ("from größe import élan\n", ["größe.élan"]),
    "words that only hold the word": ("x = important\nreimport = 1\n", []),
    "in the middle of a line": ("x = 1; import a\n", []),
    "on the last line, which has no end": ("import a", ["a"]),
}


@pytest.mark.parametrize(("text", "origins"), IMPORTS.values(), ids=IMPORTS)
def test_the_origins_of_imports(text: str, origins: list[str]) -> None:
    assert list(glance(text.encode(), telling=True).imports) == origins


class _Counting:
    """A pattern that counts the bytes in which it may match."""

    def __init__(self, pattern: re.Pattern[bytes]) -> None:
        self.pattern = pattern
        self.count = 0

    def match(self, data: bytes, start: int = 0, stop: int = sys.maxsize) -> re.Match[bytes] | None:
        self.count += min(stop, len(data)) - start
        return self.pattern.match(data, start, stop)


@pytest.mark.parametrize("end", [b"", b")"])
def test_parentheses_that_nothing_closes_take_linear_time(end: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    counting = _Counting(glancing._IMPORT)
    monkeypatch.setattr(glancing, "_IMPORT", counting)
    data = b"from a import (\n" * 500 + end
    glance(data, telling=True)
    assert counting.count <= 2 * len(data)


DEVICES = [
    'x.to("cuda:0")',
    "device = pick()",
    "x.to(my_dev)",
    "gpus = 4",
    "class A(LightningModule): ...",
    "Trainer()",
    "import accelerate",
    "fabric.launch()",
    "import torch_xla",
]
HOSTS = ["devices_of = 1", "x.to(float)", "TrainerState()", "prefabricated = 1", "relaxlax = 1", "", "devic\u00e9 = 1"]


@pytest.mark.parametrize("line", DEVICES)
def test_a_file_that_names_a_device(line: str) -> None:
    assert glance(f"x = 1\n{line}\n".encode(), telling=True).names_device


@pytest.mark.parametrize("line", HOSTS)
def test_a_file_that_names_none(line: str) -> None:
    assert not glance(f"x = 1\n{line}\n".encode(), telling=True).names_device


def test_it_can_be_kept() -> None:
    found = glance(b"import a\n", telling=False)
    assert pickle.loads(pickle.dumps(found)) == found
    assert (found.telling, found.size) == (False, 9)
