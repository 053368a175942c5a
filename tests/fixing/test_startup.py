"""What fixing loads: LibCST only for the first rewrite that needs it, and never its slow wings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

REWRITE = """
import ast, sys
import trainlint.fixing, trainlint.fixing.rewrite as rewrite
from trainlint.source import source_from_text
before = {name for name in sys.modules if name.partition(".")[0] in ("libcst", "rich", "torch")}
for text in ("f(a)\\n", "f(\\n    a,\\n)\\n", "f( a )\\n"):
    source = source_from_text("x.py", text)
    edit = rewrite.add_keyword(source, ast.parse(source.text).body[0].value, "n", "1")
    print(sorted(before), edit.text.strip(), "libcst" in sys.modules)
print([name for name in ("libcst.matchers", "libcst.codemod", "rich") if name in sys.modules])
"""


def test_libcst_is_loaded_by_the_first_rewrite_of_an_unusual_layout_and_its_slow_wings_never() -> None:
    done = subprocess.run([sys.executable, "-c", REWRITE], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[] , n=1 False\n[] n=1, False\n[] , n=1 True\n[]\n"
