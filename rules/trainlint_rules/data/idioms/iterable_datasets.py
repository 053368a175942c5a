"""Iterable datasets whose class the file shows, and what keeps their workers from repeating each other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from trainlint.analysis.conditions.loop_heads import never_ends
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Class
from trainlint.analysis.syntax.names import argument, last_name, names_in, nodes_in, root_name
from trainlint.contract.guard import Guard, guard
from trainlint.patterns import lazy
from trainlint_rules.data.idioms.datasets import origins

_BASES = frozenset({"torch.utils.data.IterableDataset", "torch.utils.data.dataset.IterableDataset"})
_SHARES = lazy(
    r"worker|rank|shard|world_?size|replica|split_(by|data)|islice|partition|queue|socket|subscribe", re.IGNORECASE
)
_DRAWS = lazy(r"^(rand|shuffle|permut|choice|sampler|multinomial|normal|uniform|default_rng)|rng|random")
_LIVE = lazy(r"(^|_)envs?($|_)|agent|replay|experience|generat|rollout|episode", re.IGNORECASE)


def iterable_datasets(site: Site) -> list[Class]:
    """The classes of the datasets that a loader is built for, where they are iterable ones and all in sight."""
    dataset = argument(site.call, "dataset", 0)
    made = origins(site.file, dataset, site.block) if dataset is not None else []
    classes = [site.file.graph.instance_class(node, block) for node, block in made]
    return [cls for cls in classes if cls is not None and _iterates(site.file, cls) is not None]


def _names_match(sentence: str, pattern: re.Pattern[str]) -> Guard:
    """A guard: a name in the dataset's class, or in a base of it, fits a pattern."""

    def holds(site: Site) -> bool:
        families = [_family(site.file, cls) or [] for cls in iterable_datasets(site)]
        words = [{word for member in family for word in _words(member.node)} for family in families]
        return all(any(pattern.search(word) for word in of_family) for of_family in words)

    return Guard(sentence, holds)


@guard
def _never_ends(site: Site) -> bool:
    """The dataset never ends."""
    rounds = [_iterates(site.file, cls) for cls in iterable_datasets(site)]
    return all(any(never_ends(node) for node in nodes_in(method)) for method in rounds if method is not None)


@guard
def _asks_what_it_holds(site: Site) -> bool:
    """The rows come from an object that the dataset's class does not show."""
    return all(_calls_what_it_holds(site.file, cls) for cls in iterable_datasets(site))


NO_REPETITION = (
    _never_ends,
    _names_match("the dataset's class names workers, ranks or shards, or reads from a source without repeats", _SHARES),
    _names_match("the dataset draws at random", _DRAWS),
    _names_match("the dataset makes its rows while it runs, as an environment does", _LIVE),
    _asks_what_it_holds,
)
"""Reasons for which workers may yield different rows."""


def _iterates(file: SemanticModel, cls: Class) -> ast.AST | None:
    """The `__iter__` of a class that is an iterable dataset, all in sight; None for other classes."""
    method = file.graph.method(cls, "__iter__") if _family(file, cls) is not None else None
    return method.node if method is not None else None


def _calls_what_it_holds(file: SemanticModel, cls: Class) -> bool:
    method = _iterates(file, cls)
    return method is not None and any(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and root_name(part.func) == "self"
        and file.graph.method(cls, part.func.attr) is None
        for part in nodes_in(method)
    )


def _family(file: SemanticModel, cls: Class) -> list[Class] | None:
    """A class and its bases down to PyTorch's; None if it is no iterable dataset or has a base out of sight."""
    found: list[Class] = []
    current: Class | None = cls
    while current is not None and current not in found:
        found.append(current)
        if len(current.node.bases) != 1:
            return None
        base = current.node.bases[0]
        if file.outline.imported(base.value if isinstance(base, ast.Subscript) else base, current.outside) in _BASES:
            return found
        current = file.outline.classes.get(last_name(base))
    return None


def _words(node: ast.ClassDef) -> Iterator[str]:
    yield from names_in(node)
    for part in nodes_in(node):
        if isinstance(part, ast.arg | ast.keyword):
            yield part.arg or ""
