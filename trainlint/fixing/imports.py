"""Edits of imports: a name made available, names moved to another module."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.names import nodes_in
from trainlint.finding import Edit
from trainlint.fixing.layout import COMMENT_FOR_TOOLS, Unfixable, extent
from trainlint.fixing.segment import generate, lost_comments, replace_simple_statement, simple_statement
from trainlint.fixing.statements import insert_before, remove_statement
from trainlint.source import SourceFile

if TYPE_CHECKING:
    import libcst as cst

# What `import torch` alone makes available as its attributes, in every version since 2.0.
_COME_WITH_TORCH = frozenset(
    """
    torch torch.amp torch.autograd torch.backends torch.backends.cuda torch.backends.cudnn torch.cuda torch.cuda.amp
    torch.distributed torch.distributions torch.fft torch.func torch.jit torch.linalg torch.multiprocessing torch.nn
    torch.nn.functional torch.nn.init torch.nn.parallel torch.nn.utils torch.optim torch.optim.lr_scheduler
    torch.profiler torch.random torch.special torch.utils torch.utils.data
    """.split()
)


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, slots=True)
class _Binding:
    """A name that a module-level import gives the file."""

    name: str
    target: str
    """What it stands for, dotted."""
    loads: str
    """The module that the import is sure to load."""


def ensure_import(
    source: SourceFile, tree: ast.Module, module: str, name: str | None = None, *, before: ast.stmt | None = None
) -> tuple[str, tuple[Edit, ...]]:
    """How this file writes `module`, or `name` of it, and the edits that make this right.

    Looks for what the module-level imports offer, in any spelling; only where nothing does, an import is put in:
    above the first import of the same package, so that nothing is loaded earlier than before, else below the
    docstring and the `__future__` imports. `before` is a statement that uses the name as soon as the file is imported,
    as a decorator does; then only what surely runs above it counts. Raises Unfixable where the new name means something
    else in this file, and where the file would load a package of others that it loads only on some ways, if at all: by
    an import in a `try`, an `if` or a function.
    """
    wanted = f"{module}.{name}" if name else module
    surely = _unconditional_imports(tree, before)
    meanings = _meanings(tree)
    others = meanings.in_functions if before is None else meanings.anywhere
    best = _offer(list(_bindings(tree.body if before is None else surely)), wanted, module, others)
    if best is not None:
        return best.name + wanted[len(best.target) :], ()
    package = module.partition(".")[0]
    if not _is_surely_loaded(package, surely):
        raise Unfixable(f"{source.path} may run without {package}")
    if module in _COME_WITH_TORCH or not name:
        statement = "import torch" if module in _COME_WITH_TORCH else f"import {module}"
        local, taken, meaning = wanted, package, package
    else:
        statement, local, taken, meaning = f"from {module} import {name}", name, name, wanted
    if not meanings.anywhere.get(taken, frozenset()) <= {meaning}:
        raise Unfixable(f"`{taken}` has another meaning in {source.path}, so `{statement}` cannot be added")
    return local, (_insertion(source, tree, package, statement),)


def _unconditional_imports(tree: ast.Module, before: ast.stmt | None) -> list[ast.stmt]:
    """The imports that run whenever the file is imported: of these, those above a statement where one is named."""
    imports = (item for item in tree.body if isinstance(item, ast.Import | ast.ImportFrom))
    return [item for item in imports if before is None or item.lineno < before.lineno]


def _offer(
    bindings: Sequence[_Binding], wanted: str, module: str, others: Mapping[str, Collection[str | None]]
) -> _Binding | None:
    """What an import already offers, the nearest first; not by a name that has another meaning as well."""
    loaded = _COME_WITH_TORCH | {parent for binding in bindings for parent in _parents(binding.loads)}
    offers = (
        binding
        for binding in bindings
        if _reaches(binding, wanted, module, loaded) and set(others.get(binding.name, ())) <= {binding.target}
    )
    return max(offers, key=lambda binding: len(binding.target), default=None)


def _is_surely_loaded(package: str, surely: list[ast.stmt]) -> bool:
    """Whether the file cannot run without a package: it is Python's own, or imported whenever the file is."""
    return package in sys.stdlib_module_names or any(
        binding.loads.partition(".")[0] == package for binding in _bindings(surely)
    )


def move_names(source: SourceFile, statement: ast.ImportFrom, names: Collection[str], module: str) -> tuple[Edit, ...]:
    """Import `names` from `module` instead; their aliases, the other names, layout and comments stay.

    Where other names remain, the moved ones get an import of their own above, with their comments. Raises
    Unfixable for `import *`.
    """
    import libcst as cst

    node = simple_statement(source, statement)
    if not isinstance(node, cst.ImportFrom) or isinstance(node.names, cst.ImportStar):
        raise Unfixable(f"the names that line {statement.lineno} of {source.path} imports cannot be told")
    moved = [alias for alias in statement.names if alias.name in names]
    if not moved:
        raise Unfixable(f"line {statement.lineno} of {source.path} imports none of {', '.join(sorted(names))}")
    if len(moved) == len(statement.names):
        new = node.with_changes(module=_dotted_name(module), relative=[])
        return (replace_simple_statement(source, statement, new),)
    written = ", ".join(f"{alias.name} as {alias.asname}" if alias.asname else alias.name for alias in moved)
    for alias in moved:
        node = _without_name(node, alias)
    comments = _comments_lost_by(source, statement, node)
    addition = insert_before(source, statement, "  ".join((f"from {module} import {written}", *comments)))
    if comments and addition.text.endswith("; "):
        raise Unfixable(f"line {statement.lineno} of {source.path} begins with something else")
    return addition, replace_simple_statement(source, statement, node, moved=comments)


def drop_name(source: SourceFile, statement: ast.ImportFrom, name: str) -> tuple[Edit, ...]:
    """Import `name` no longer; the whole statement goes where it imports nothing else. Raises Unfixable otherwise."""
    import libcst as cst

    dropped = next((alias for alias in statement.names if alias.name == name), None)
    if dropped is None:
        raise Unfixable(f"line {statement.lineno} of {source.path} does not import {name}")
    if len(statement.names) == 1:
        return remove_statement(source, statement)
    node = simple_statement(source, statement)
    if not isinstance(node, cst.ImportFrom):
        raise Unfixable(f"line {statement.lineno} of {source.path} is no import of names")
    new = _without_name(node, dropped)
    for_tools = [comment for comment in _comments_lost_by(source, statement, new) if COMMENT_FOR_TOOLS.match(comment)]
    return (replace_simple_statement(source, statement, new, moved=for_tools),)


def _comments_lost_by(source: SourceFile, statement: ast.ImportFrom, new: cst.ImportFrom) -> list[str]:
    start, stop = extent(source, statement)
    return lost_comments(source.text[start:stop], generate(source, start, stop, new))


def move_module(source: SourceFile, statement: ast.Import, old: str, new: str) -> tuple[Edit, ...]:
    """Make `import old as name` into `import new as name`. Raises Unfixable without an alias: uses would break."""
    import libcst as cst

    node = simple_statement(source, statement)
    if not isinstance(node, cst.Import) or not any(alias.name == old and alias.asname for alias in statement.names):
        raise Unfixable(f"line {statement.lineno} of {source.path} does not import {old} under another name")
    names = [
        alias.with_changes(name=_dotted_name(new)) if alias.evaluated_name == old and alias.asname else alias
        for alias in node.names
    ]
    return (replace_simple_statement(source, statement, node.with_changes(names=names)),)


def _bindings(body: list[ast.stmt]) -> Iterator[_Binding]:
    """What imports at module level bind, those tried first in a `try` included."""
    for statement in body:
        if isinstance(statement, ast.Try):
            yield from _bindings(statement.body)
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                package = alias.name.partition(".")[0]
                yield _Binding(alias.asname or package, alias.name if alias.asname else package, alias.name)
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            for alias in statement.names:
                if alias.name != "*":
                    yield _Binding(alias.asname or alias.name, f"{statement.module}.{alias.name}", statement.module)


def _reaches(binding: _Binding, wanted: str, module: str, loaded: Collection[str]) -> bool:
    """Whether `wanted` can be written below the bound name, every module on the way being loaded."""
    if binding.target == wanted:
        return True
    if not wanted.startswith(f"{binding.target}."):
        return False
    return all(len(parent) <= len(binding.target) or parent in loaded for parent in _parents(module))


def _parents(module: str) -> list[str]:
    """A dotted module and all packages that it lies in."""
    parts = module.split(".")
    return [".".join(parts[: count + 1]) for count in range(len(parts))]


def _insertion(source: SourceFile, tree: ast.Module, package: str, statement: str) -> Edit:
    body = tree.body
    for candidate in body:
        if any(binding.loads.partition(".")[0] == package for binding in _bindings([candidate])):
            if isinstance(candidate, ast.Try):
                continue
            return insert_before(source, candidate, statement)
    head = _first_after_head(body)
    if head < len(body):
        return _at_head(source, body[head:], package, statement)
    newline = source.newline
    before = "" if not source.text or source.text.endswith(("\r", "\n")) else newline
    return Edit(len(source.text), len(source.text), f"{before}{statement}{newline}")


def _first_after_head(body: Sequence[ast.stmt]) -> int:
    """Where the docstring and imports from `__future__` end."""
    head = 0
    while head < len(body) and (_is_future(body[head]) or (head == 0 and _is_docstring(body[0]))):
        head += 1
    return head


def _at_head(source: SourceFile, body: list[ast.stmt], package: str, statement: str) -> Edit:
    """The insertion before the first statement, or in its place among sorted imports."""
    is_import = isinstance(body[0], ast.Import | ast.ImportFrom)
    above = _sorted_place(body, package) if is_import and statement == f"import {package}" else None
    if above is not None:
        start = source.line_starts[above.end_lineno or above.lineno]
        return Edit(start, start, f"{statement}{source.newline}")
    return insert_before(source, body[0], statement if is_import else f"{statement}\n")


def _sorted_place(body: list[ast.stmt], package: str) -> ast.stmt | None:
    """The `import x` that `import package` goes below, where those at the head of a file are sorted by name."""
    heads: list[ast.Import] = []
    for statement, following in pairwise(body):
        if not isinstance(statement, ast.Import) or len(statement.names) != 1:
            break
        heads.append(statement)
        if following.lineno != (statement.end_lineno or 0) + 1:
            break  # an empty line or a comment ends the group
    names = [statement.names[0].name for statement in heads]
    if len(names) < 2 or names != sorted(names):
        return None
    return next((statement for statement in reversed(heads) if statement.names[0].name < package), None)


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


@dataclass(frozen=True, slots=True)
class _Meanings:
    """What the names of a file are bound to: the targets of imports, and None for anything else."""

    anywhere: dict[str, set[str | None]]
    in_functions: dict[str, set[str | None]]


@lru_cache(maxsize=2)
def _meanings(tree: ast.Module) -> _Meanings:
    """Every fix of a file asks for them."""
    functions = [node for node in nodes_in(tree) if isinstance(node, _FUNCTIONS)]
    return _Meanings(_bound([tree]), _bound(functions))


def _bound(scopes: Iterable[ast.AST]) -> dict[str, set[str | None]]:
    """Every name bound below some nodes, with what imports make of it."""
    found: dict[str, set[str | None]] = {}
    for node in {part: None for scope in scopes for part in nodes_in(scope)}:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.setdefault(node.id, set()).add(None)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.setdefault(node.name, set()).add(None)
        elif isinstance(node, ast.arg):
            found.setdefault(node.arg, set()).add(None)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for binding in _bindings([node]):
                found.setdefault(binding.name, set()).add(binding.target)
    return found


def _dotted_name(name: str) -> cst.Attribute | cst.Name:
    import libcst as cst

    parts = name.split(".")
    node: cst.Attribute | cst.Name = cst.Name(parts[0])
    for part in parts[1:]:
        node = cst.Attribute(node, cst.Name(part))
    return node


def _without_name(node: cst.ImportFrom, moved: ast.alias) -> cst.ImportFrom:
    """The import without one of its names. The comment on the name's own line goes with it, the others stay."""
    import libcst as cst

    names = [] if isinstance(node.names, cst.ImportStar) else list(node.names)
    place = next(
        index
        for index, name in enumerate(names)
        if (name.evaluated_name, name.evaluated_alias) == (moved.name, moved.asname)
    )
    closing = node.rpar.whitespace_before if node.rpar else cst.SimpleWhitespace("")
    opening = node.lpar.whitespace_after if node.lpar else cst.SimpleWhitespace("")
    gaps = [opening, *(name.comma.whitespace_after if isinstance(name.comma, cst.Comma) else closing for name in names)]
    gone = names.pop(place)
    gap = _merged(gaps[place], gaps[place + 1], leads_to_the_end=place == len(names))
    if place == 0:
        return node.with_changes(names=names, lpar=node.lpar and node.lpar.with_changes(whitespace_after=gap))
    last = names[place - 1]
    if isinstance(gone.comma, cst.Comma) and isinstance(last.comma, cst.Comma):
        names[place - 1] = last.with_changes(comma=last.comma.with_changes(whitespace_after=gap))
        return node.with_changes(names=names)
    names[place - 1] = last.with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return node.with_changes(names=names, rpar=node.rpar and node.rpar.with_changes(whitespace_before=gap))


def _merged(
    before: cst.BaseParenthesizableWhitespace, after: cst.BaseParenthesizableWhitespace, *, leads_to_the_end: bool
) -> cst.BaseParenthesizableWhitespace:
    """What is left of the gaps around a name that goes."""
    import libcst as cst

    if not isinstance(before, cst.ParenthesizedWhitespace):
        return after if leads_to_the_end or isinstance(after, cst.ParenthesizedWhitespace) else before
    if isinstance(after, cst.ParenthesizedWhitespace):
        lines = [*before.empty_lines, *after.empty_lines]
        return before.with_changes(empty_lines=lines, indent=after.indent, last_line=after.last_line)
    holds_comment = before.first_line.comment or any(line.comment for line in before.empty_lines)
    return before if holds_comment or not leads_to_the_end else after
