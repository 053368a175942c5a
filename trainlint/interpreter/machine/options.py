"""Options of programs, and what they are by default: `add_argument`, and configurations in code."""

from __future__ import annotations

import ast

from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.values.joining import join
from trainlint.interpreter.values.kinds import PLAIN, UNKNOWN, Plain, Unknown
from trainlint.interpreter.values.value import Value


def option(run: Run, node: ast.Call) -> Value:
    """Remember an option by its name."""
    names = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    name = _text(given.get("dest")) or _destination(names)
    action = _text(given.get("action"))
    default = given.get("default", ast.Constant(False if action == "store_true" else None))
    needed = "required" in given or not any(name.startswith("-") for name in names)
    if isinstance(default, ast.Constant) and not needed and action != "store_false":
        value = by_default(run, name, default.value)
    else:
        value = PLAIN if action else UNKNOWN
    _join_option(run, name, value)
    return UNKNOWN


def set_option(run: Run, name: str, value: Value) -> None:
    """Remember what code sets an option to, or what a configuration in code says."""
    if isinstance(value, Plain) and isinstance(value.constant, bool | str) and name not in run.set_options:
        _join_option(run, name, by_default(run, name, value.constant))
    elif name in run.options:
        _join_option(run, name, PLAIN if isinstance(value, Unknown) else value)
    else:
        run.set_options.add(name)


def _join_option(run: Run, name: str, value: Value) -> None:
    run.options[name] = join(run.options[name], value) if name in run.options else value


def by_default(run: Run, name: str | None, default: object) -> Value:
    """An option by its default, unless a file of the project sets it: off where that is nothing, or a string."""
    if default or name in run.project.turned_on:
        if isinstance(default, str) and name not in run.project.turned_on:
            return Plain(default=default)
        return PLAIN if default is not None else UNKNOWN
    return Plain(meaning="off", maybe_none=default is None)


def _text(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _destination(names: list[str]) -> str:
    """The attribute under which `parse_args` stores an option."""
    long = next((name for name in names if name.startswith("--")), names[0] if names else "")
    return long.lstrip("-").replace("-", "_")
