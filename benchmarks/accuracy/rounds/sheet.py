"""Where a labeller may have to look in a clone, told without trainlint: files, imports, loops, loaders and modules.

Nothing of trainlint's judgement comes in, so that labels stay blind.
"""

from __future__ import annotations

import ast
import subprocess
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.accuracy.run import CannotScore
from trainlint.bounded import SOURCE_BYTES, leads_out, read_bounded, reason_of

if TYPE_CHECKING:
    from pathlib import Path

_STEPS = ("backward", "step", "training_step", "train_step")
"""Calls that tell a training loop from others."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the text of one file shows."""

    path: str
    lines: int
    imports: tuple[str, ...] = ()
    """Top-level names of the modules that it imports."""
    loops: tuple[str, ...] = ()
    """Line, function and the calls of a training step inside, as in "12 in train: backward, step"."""
    loaders: tuple[str, ...] = ()
    """Calls whose name ends in Loader, with their line."""
    modules: tuple[str, ...] = ()
    """Classes with a method `forward`, with their line."""
    not_read: str = ""
    """Why nothing is known of the file."""


def facts_of_clone(clone: Path) -> tuple[Facts, ...]:
    """The facts of each Python file that Git tracks. Raises CannotScore where the directory is no clone."""
    listed = subprocess.run(["git", "-C", str(clone), "ls-files", "-z", "*.py"], capture_output=True, check=False)
    if listed.returncode:
        raise CannotScore(f"{clone} is no Git clone: {listed.stderr.decode('utf-8', 'replace').strip()}")
    paths = sorted(listed.stdout.decode("utf-8", "surrogateescape").split("\0"))
    return tuple(_facts_of_file(clone, path) for path in paths if path)


def facts(path: str, source: bytes) -> Facts:
    """The facts of one file's text; where it is no Python 3, that."""
    lines = source.count(b"\n") + bool(source and not source.endswith(b"\n"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Old code has escapes that Python now warns of; that is not our subject.
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Facts(path, lines, not_read=f"it is no Python 3 ({error})")
    nodes = list(_with_functions(tree))
    return Facts(
        path,
        lines,
        imports=tuple(sorted({name for node, _ in nodes for name in _imported(node)})),
        loops=tuple(_loop(node, function) for node, function in nodes if isinstance(node, ast.For | ast.While)),
        loaders=tuple(
            f"{node.lineno}: {_called(node)}"
            for node, _ in nodes
            if isinstance(node, ast.Call) and _called(node).endswith("Loader")
        ),
        modules=tuple(
            f"{node.lineno}: {node.name}" for node, _ in nodes if isinstance(node, ast.ClassDef) and _has_forward(node)
        ),
    )


def as_text(of: tuple[Facts, ...]) -> str:
    """The facts for a reader: files that use PyTorch first, then the others by name alone."""
    read = [each for each in of if not each.not_read]
    torch = [each for each in read if any(name.startswith(("torch", "lightning", "pytorch")) for name in each.imports)]
    parts = [_file(each) for each in torch]
    others = [f"  {each.path}, {each.lines} lines" for each in read if each not in torch]
    unread = [f"  {each.path}: {each.not_read}" for each in of if each.not_read]
    if others:
        parts.append("\n".join(("Files that import no PyTorch", *others)))
    if unread:
        parts.append("\n".join(("Not read: look at these yourself", *unread)))
    return "\n\n".join(parts) + "\n"


def _facts_of_file(clone: Path, path: str) -> Facts:
    if leads_out(clone / path, clone):
        return Facts(path, 0, not_read="it is a link out of the clone")
    try:
        return facts(path, read_bounded(clone / path, SOURCE_BYTES))
    except OSError as error:
        return Facts(path, 0, not_read=reason_of(error))


def _file(of: Facts) -> str:
    lines = [f"{of.path}, {of.lines} lines", f"  imports {', '.join(of.imports)}"]
    lines += [f"  loop {each}" for each in of.loops]
    lines += [f"  loader {each}" for each in of.loaders]
    lines += [f"  module {each}" for each in of.modules]
    return "\n".join(lines)


def _with_functions(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Each node in the order of the text, with the name of the function around it."""
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, function = waiting.pop()
        yield node, function
        inside = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else function
        waiting += ((child, inside) for child in reversed(list(ast.iter_child_nodes(node))))


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield "." if node.level else (node.module or "").partition(".")[0]


def _loop(node: ast.For | ast.While, function: str) -> str:
    called = {_called(inner) for inner in ast.walk(node) if isinstance(inner, ast.Call)}
    steps = [name for name in _STEPS if name in called]
    place = f"{node.lineno}" + (f" in {function}" if function else "")
    return f"{place}: {', '.join(steps)}" if steps else place


def _called(call: ast.Call) -> str:
    """The last part of what is called."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _has_forward(of: ast.ClassDef) -> bool:
    return any(isinstance(member, ast.FunctionDef) and member.name == "forward" for member in of.body)
