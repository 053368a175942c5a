"""Names that the code of a file uses: what counts as one, and how it is split into words."""

from __future__ import annotations

import ast

import pytest

from trainlint.analysis.syntax.code_names import CodeNames
from trainlint.analysis.syntax.walk import outline
from trainlint.analysis.tables.signs import Sign


def names(text: str) -> CodeNames:
    return CodeNames(outline(ast.parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "use_amp = True",
        "def amp_step(): ...",
        "class AmpTrainer: ...",
        "def step(*, with_amp=False): ...",
        "step(amp=True)",
        "options.amp",
        "from apex import amp",
        "import apex.amp",
        "from mixed import train as train_with_amp",
        'parser.add_argument("--amp", action="store_true")',
        'options["amp"] = False',
        'path = f"runs/{name}/amp"',
    ],
)
def test_a_name_in_the_code_holds_a_word(text: str) -> None:
    assert "amp" in names(text).words


@pytest.mark.parametrize(
    "text",
    [
        "# amp",
        '"""amp"""',
        'def step():\n    "amp"\n    return 1',
        'print("no amp here")',
        'parser.add_argument("--half", help="as amp does")',
        'message = "amp or not"',
        "example = damping",
        f'blob = "{"amp_" * 100}"',
    ],
)
def test_comments_docstrings_sentences_and_parts_of_words_do_not(text: str) -> None:
    assert "amp" not in names(text).words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("GradScaler", {"grad", "scaler", "grad_scaler", "gradscaler"}),
        ("MNISTNet", {"mnist", "net", "mnist_net"}),
        ("resnet50", {"resnet50", "resnet"}),
        ("load_in_8bit", {"load", "8bit", "in_8bit", "load_in_8bit"}),
        ("_call_impl", {"call_impl", "_call_impl"}),
        ("__call__", {"__call__", "call"}),
        ("scaled_dot_product_attention", {"scaled_dot_product_attention", "dot_product"}),
    ],
)
def test_names_are_split_into_words(name: str, words: set[str]) -> None:
    assert words <= names(f"{name} = 1").words


def test_names_of_the_standard_library_say_nothing() -> None:
    text = "import re\nfrom re import compile as make\npattern = re.compile('x')\nother = make('y')"
    assert not names(text).show(Sign(words=frozenset({"compile"})))
    assert names("import torch\nstep = torch.compile(step)").show(Sign(words=frozenset({"compile"})))


def test_origins_are_resolved_and_hold_the_modules_above() -> None:
    found = names("import torch.nn as nn\nfrom torch import fx as graphs\nlayer = nn.functional.dropout(x)").origins
    assert {"torch", "torch.fx", "torch.nn.functional.dropout", "torch.nn.functional"} <= found
    assert "nn" not in found


def test_a_name_that_means_something_else_has_no_origin() -> None:
    text = "import torch\ndef step(torch):\n    torch.compile(1)"
    assert "torch.compile" not in names(text).origins


def test_variables_are_no_attributes() -> None:
    assert "half" not in names("half = width // 2").attributes
    assert {"half", "double", "backward"} <= names('x.half()\nrun(double=1)\nget("backward")').attributes
