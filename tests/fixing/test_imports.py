"""Imports are found in any spelling, put in only when needed, and moved with their aliases and comments."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tests.fixing.helpers import comments, edited, read
from trainlint.fixing import imports
from trainlint.fixing.rewrite import Unfixable, ensure_import, move_module, move_names

FOUND = {
    # the file, the module, the name: how the file writes it
    ("import torch\n", "torch", None): "torch",
    ("import torch as th\n", "torch", None): "th",
    ("import torch.nn as nn, torch\n", "torch", None): "torch",
    ("import torch.nn\n", "torch", None): "torch",
    ("import torch\n", "torch.amp", "autocast"): "torch.amp.autocast",
    ("import torch as th\n", "torch.amp", "autocast"): "th.amp.autocast",
    ("from torch import amp\n", "torch.amp", "autocast"): "amp.autocast",
    ("from torch import amp as a\n", "torch.amp", "autocast"): "a.autocast",
    ("import torch.amp as ta\n", "torch.amp", "autocast"): "ta.autocast",
    ("from torch.amp import autocast as ac\n", "torch.amp", "autocast"): "ac",
    ("import torch\nfrom torch import amp\n", "torch", "amp"): "amp",
    ("try:\n    import torch\nexcept ImportError:\n    torch = None\n", "torch", None): "torch",
    (
        "import torch\nimport torch.nn.attention\n",
        "torch.nn.attention",
        "sdpa_kernel",
    ): "torch.nn.attention.sdpa_kernel",
}


@pytest.mark.parametrize(("text", "module", "name"), FOUND)
def test_what_the_file_imports_is_used_as_it_is_written(text: str, module: str, name: str | None) -> None:
    source, tree = read(text)
    assert ensure_import(source, tree, module, name) == (FOUND[text, module, name], ())


PUT_IN = {
    # the file, the module, the name: how to write it, and the new file
    ("x = 1\n", "random", None): ("random", "import random\n\nx = 1\n"),
    ("", "random", None): ("random", "import random\n"),
    ('"""Doc."""', "random", None): ("random", '"""Doc."""\nimport random\n'),
    ("#!/usr/bin/python\n# coding: utf-8\n\nimport os\n", "random", None): (
        "random",
        "#!/usr/bin/python\n# coding: utf-8\n\nimport random\nimport os\n",
    ),
    ('"""Doc."""\r\nfrom __future__ import annotations\r\n\r\nimport os\r\n', "random", None): (
        "random",
        '"""Doc."""\r\nfrom __future__ import annotations\r\n\r\nimport random\r\nimport os\r\n',
    ),
    ("import os\nos.environ['A'] = '1'\nfrom torch import nn\n", "torch", None): (
        "torch",
        "import os\nos.environ['A'] = '1'\nimport torch\nfrom torch import nn\n",
    ),
    ("import torch\n", "torch.nn.attention", "sdpa_kernel"): (
        "sdpa_kernel",
        "from torch.nn.attention import sdpa_kernel\nimport torch\n",
    ),
    ("from torch import amp\ndef f(amp): pass\n", "torch.amp", "autocast"): (
        "torch.amp.autocast",
        "import torch\nfrom torch import amp\ndef f(amp): pass\n",
    ),
    ("'doc'; import os\n", "random", None): ("random", "'doc'; import random; import os\n"),
    ("import argparse\nimport sys\n\nimport torch\n", "os", None): (
        "os",
        "import argparse\nimport os\nimport sys\n\nimport torch\n",
    ),
    ("import copy\nimport os.path\nimport time\nfrom torch import nn\n", "random", None): (
        "random",
        "import copy\nimport os.path\nimport random\nimport time\nfrom torch import nn\n",
    ),
    ("import time\nimport copy\n", "random", None): ("random", "import random\nimport time\nimport copy\n"),
    ("import argparse\nimport copy\n\nx = 1\n", "os", None): (
        "os",
        "import argparse\nimport copy\nimport os\n\nx = 1\n",
    ),
    ("import contextlib\n", "functools", None): ("functools", "import functools\nimport contextlib\n"),
}


@pytest.mark.parametrize(("text", "module", "name"), PUT_IN)
def test_an_import_is_put_in_where_it_loads_nothing_earlier_than_needed(
    text: str, module: str, name: str | None
) -> None:
    source, tree = read(text)
    local, edits = ensure_import(source, tree, module, name)
    after = edited(source, edits)
    assert (local, after) == PUT_IN[text, module, name]
    again, again_tree = read(after)
    assert ensure_import(again, again_tree, module, name) == (local, ())


def test_a_name_with_another_meaning_is_not_taken() -> None:
    source, tree = read("from torch import nn\n\n\ndef f(torch):\n    return torch\n")
    with pytest.raises(Unfixable, match="another meaning"):
        ensure_import(source, tree, "torch")


NOT_ALWAYS = {
    "a function": "def f():\n    import torch\n",
    "a test for it": "if is_torch_available():\n    import torch\n",
    "for type checkers": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch\n",
    "by its name": "import importlib\ntorch = importlib.import_module('torch')\n",
    "a lazy object": "from own import LazyLoader\ntorch = LazyLoader('torch')\n",
    "a test that skips": "import pytest\ntorch = pytest.importorskip('torch')\n",
    "a try": "try:\n    from torch import nn\nexcept ImportError:\n    nn = None\n",
}
NEVER = ["x = 1\n", "import mxnet\n", "from helpers import *\n", "import torchvision\n"]


@pytest.mark.parametrize("text", [*NEVER, *NOT_ALWAYS.values()])
def test_a_file_that_may_run_without_torch_never_gains_that_import(text: str) -> None:
    source, tree = read(text)
    for module, name in (("torch", None), ("torch.amp", "autocast"), ("torch.nn.attention", "sdpa_kernel")):
        with pytest.raises(Unfixable, match="may run without torch"):
            ensure_import(source, tree, module, name)


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        ("import torch\ndef f(): pass\n", True),
        ("import torch as th\ndef f(): pass\n", True),
        ("def f(): pass\nimport torch\n", False),
        ("try:\n    import torch\nexcept ImportError:\n    torch = None\ndef f(): pass\n", False),
        ("try:\n    import torch\nexcept ImportError:\n    pass\ndef f(): pass\n", False),
        ("import torch\nif old():\n    torch = None\ndef f(): pass\n", False),
        *((f"{text}def f(): pass\n", False) for text in NOT_ALWAYS.values()),
    ],
)
def test_a_decorator_uses_only_what_surely_was_imported_above_it(text: str, is_there: bool) -> None:
    source, tree = read(text)
    (function,) = [
        item for item in tree.body if isinstance(item, ast.FunctionDef) and isinstance(item.body[0], ast.Pass)
    ]
    if is_there:
        assert ensure_import(source, tree, "torch", before=function)[1] == ()
    else:
        with pytest.raises(Unfixable):
            ensure_import(source, tree, "torch", before=function)


def test_all_that_is_said_to_come_with_torch_does() -> None:
    pytest.importorskip("torch")
    names = sorted(imports._COME_WITH_TORCH)
    program = f"import torch\nfor name in {names!r}: eval(name)\nprint(len({names!r}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == str(len(names)), done.stderr


MOVED = {
    "from torch.cuda.amp import autocast, GradScaler\n": "from torch.amp import autocast, GradScaler\n",
    "from torch.cuda.amp import autocast as ac  # fast\n": "from torch.amp import autocast as ac  # fast\n",
    "from torch.cuda.amp import (\n    autocast,  # a\n    GradScaler as G,  # g\n)\n": (
        "from torch.amp import (\n    autocast,  # a\n    GradScaler as G,  # g\n)\n"
    ),
    "from torch.cuda.amp import autocast, common\n": (
        "from torch.amp import autocast\nfrom torch.cuda.amp import common\n"
    ),
    "from torch.cuda.amp import common, autocast as ac\n": (
        "from torch.amp import autocast as ac\nfrom torch.cuda.amp import common\n"
    ),
    "from torch.cuda.amp import autocast, common, GradScaler\n": (
        "from torch.amp import autocast, GradScaler\nfrom torch.cuda.amp import common\n"
    ),
    "from torch.cuda.amp import (common, autocast)\n": (
        "from torch.amp import autocast\nfrom torch.cuda.amp import (common)\n"
    ),
    "try:\n\tfrom torch.cuda.amp import common, \\\n\t\tautocast\nexcept E: pass\n": (
        "try:\n\tfrom torch.amp import autocast\n\tfrom torch.cuda.amp import common\nexcept E: pass\n"
    ),
    "from torch.cuda.amp import (\r\n  common,  # c\r\n  autocast,  # a\r\n  # of other\r\n  other,  # o\r\n)\r\n": (
        "from torch.amp import autocast  # a\r\n"
        "from torch.cuda.amp import (\r\n  common,  # c\r\n  # of other\r\n  other,  # o\r\n)\r\n"
    ),
    "from torch.cuda.amp import (\n    common,  # c\n    autocast  # a\n)\n": (
        "from torch.amp import autocast  # a\nfrom torch.cuda.amp import (\n    common  # c\n)\n"
    ),
    "from torch.cuda.amp import (\n    common,  # c\n    autocast,  # a\n    # end\n)\n": (
        "from torch.amp import autocast  # a\nfrom torch.cuda.amp import (\n    common,  # c\n    # end\n)\n"
    ),
    "from torch.cuda.amp import (common,  # c\n    autocast)\n": (
        "from torch.amp import autocast\nfrom torch.cuda.amp import (common  # c\n    )\n"
    ),
    "from torch.cuda.amp import (\n    autocast,\n    common,\n)\n": (
        "from torch.amp import autocast\nfrom torch.cuda.amp import (\n    common,\n)\n"
    ),
    "x = 1; from torch.cuda.amp import autocast, common\n": (
        "x = 1; from torch.amp import autocast; from torch.cuda.amp import common\n"
    ),
}


@pytest.mark.parametrize("before", MOVED)
def test_names_move_to_another_module(before: str) -> None:
    source, tree = read(before)
    statement = next(node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    after = edited(source, move_names(source, statement, {"autocast", "GradScaler"}, "torch.amp"))
    assert after == MOVED[before]
    ast.parse(after)
    assert comments(after) == comments(before)


@pytest.mark.parametrize(
    "text",
    [
        "from torch.cuda.amp import *\n",
        "from torch.cuda.amp import common\n",
        "x = 1; from torch.cuda.amp import (common,\n    autocast,  # a\n)\n",
    ],
)
def test_names_that_cannot_be_told_or_moved_alone_do_not_move(text: str) -> None:
    source, tree = read(text)
    statement = tree.body[-1]
    assert isinstance(statement, ast.ImportFrom)
    with pytest.raises(Unfixable):
        move_names(source, statement, {"autocast"}, "torch.amp")


def test_a_module_with_an_alias_moves() -> None:
    source, tree = read("import os, torch.cuda.amp as amp  # fast\n")
    statement = tree.body[0]
    assert isinstance(statement, ast.Import)
    after = edited(source, move_module(source, statement, "torch.cuda.amp", "torch.amp"))
    assert after == "import os, torch.amp as amp  # fast\n"


def test_a_module_without_an_alias_does_not_move() -> None:
    source, tree = read("import torch.cuda.amp\n")
    statement = tree.body[0]
    assert isinstance(statement, ast.Import)
    with pytest.raises(Unfixable, match="under another name"):
        move_module(source, statement, "torch.cuda.amp", "torch.amp")
