"""What IPython understands becomes Python of the same length; Python stays as it is."""

from __future__ import annotations

import ast
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.notebooks.magics import as_python


def names(source: str) -> set[str]:
    """The names that are left of a cell."""
    return {node.id for node in ast.walk(ast.parse(as_python(source))) if isinstance(node, ast.Name)}


@pytest.mark.parametrize(
    ("source", "python"),
    [
        ("%matplotlib inline\nx = 1", "##################\nx = 1"),
        ("!pip install -q torch", "#####################"),
        ("?torch.add\ntorch.add??", "##########\n###########"),
        ("model.forward?", "##############"),
        ("%run prepare.py\nprepare()", "###############\nprepare()"),
        ("if colab:\n    !pip install torch\nx = 1", "if colab:\n    __################\nx = 1"),
        ("if colab:\n    %cd /content", "if colab:\n    __##########"),
        ("files = !ls", "files = __#"),
        ("a, b = %magic 1 2", "a, b = __########"),
        ("!pip install \\\n    torch \\\n    numpy\nx = 1", "##############\n###########\n#########\nx = 1"),
        ("%time loss = f(x)", "0    ;loss = f(x)"),
        ("%timeit -n 10 -r 3 f(x)", "0                 ;f(x)"),
        ("if x:\n    %time f(x)", "if x:\n    0    ;f(x)"),
        ("%time for x in y: f(x)", "######################"),
        ("%%time\nf(x)", "######\nf(x)"),
        ("%%capture out\n%%time\nf(x)", "#############\n######\nf(x)"),
        ("# for Colab\n%%capture\n!pip install torch\nf(x)", "###########\n#########\n##################\nf(x)"),
        ("%%bash\nfor x in *; do\n\ndone", "######\n##############\n\n####"),
        ("%%writefile train.py\nimport torch", "####################\n############"),
        ("%%html\n<b>", "######\n###"),
        ("\n\n%%bash\nls", "\n\n######\n##"),
        ("%%\nls", "##\n##"),
        ("cd ..", "#####"),
        ("\npip install -q torch\n", "\n####################\n"),
        ("%%capture\npip install torch", "#########\n#################"),
        ("time loss = f(x)", "0   ;loss = f(x)"),
    ],
)
def test_magics_make_room_for_python(source: str, python: str) -> None:
    assert as_python(source) == python
    ast.parse(python)


@pytest.mark.parametrize(
    "source",
    [
        "x = a % b\ny = (a\n% b)",
        "z = a \\\n% b",
        'text = """\n%matplotlib inline\n!ls\nwhat?\n"""',
        "text = '''it's\n!ls'''",
        "print('ok?')\nx = 1  # really?",
        'x = f"{a}"; y = "a\\"b"',
        "d = {\n  'a': 1,\n  'b': a\n  %b,\n}",
        "x %= 3\nx != y\nx = y if z else w",
        "# %%bash\nx = 1",
        'rows = [\n    "%d items",\n    "why?",\n]',
        "x = r'\\'\n",
        "ls -la",
        "run = 3",
        "cd, x = 1, 2",
    ],
)
def test_python_stays_as_it_is(source: str) -> None:
    assert as_python(source) == source


def test_a_magic_behind_a_long_statement_is_found() -> None:
    source = "model = Model(\n    width=3,\n)\n!nvidia-smi\nx = '''\n!no\n'''\n!yes"
    assert as_python(source) == "model = Model(\n    width=3,\n)\n###########\nx = '''\n!no\n'''\n####"


def test_nothing_is_known_of_what_a_magic_gives() -> None:
    assert names("files = !ls") == {"files", "__"}
    assert names("%%bash\nfiles") == set()


def test_a_cell_in_another_language_is_left_out() -> None:
    assert as_python("SELECT 1", foreign=True) == "########"


LINES = st.sampled_from(
    [
        "%matplotlib inline",
        "!ls",
        "x = 1",
        "    y?",
        "%%time",
        "%%bash",
        "'''",
        "(",
        ")",
        "a = !ls \\",
        "",
        "é = 'ü'",
        "%time f()",
    ]
)


@given(st.lists(st.one_of(LINES, st.text(max_size=12)), max_size=8), st.sampled_from(["\n", "\r\n", "\r"]))
def test_every_character_keeps_its_place(lines: list[str], newline: str) -> None:
    source = newline.join(lines)
    python = as_python(source)
    assert len(python) == len(source)
    assert [found.span() for found in re.finditer(r"\r|\n", python)] == [
        found.span() for found in re.finditer(r"\r|\n", source)
    ]
