"""`add_argument`: an option of a command line, and what it is by default."""

from __future__ import annotations

import ast

from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.values.joining import join
from trainlint.interpreter.values.kinds import PLAIN, UNKNOWN, Plain
from trainlint.interpreter.values.value import Value


def option(run: Run, node: ast.Call) -> Value:
    """Remember an option by its name."""
    names = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    name = _text(given.get("dest")) or _destination(names)
    action, default = _text(given.get("action")), given.get("default")
    off = (action == "store_true" and default is None) or (isinstance(default, ast.Constant) and default.value is False)
    known = bool(action) or (isinstance(default, ast.Constant) and default.value is not None)
    if _text(default):
        run.option_texts.setdefault(name, _text(default))
    value: Value = Plain(meaning="off") if off else PLAIN if known else UNKNOWN
    run.options[name] = join(run.options[name], value) if name in run.options else value
    return UNKNOWN


def _text(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _destination(names: list[str]) -> str:
    """The attribute under which `parse_args` stores an option."""
    long = next((name for name in names if name.startswith("--")), names[0] if names else "")
    return long.lstrip("-").replace("-", "_")
