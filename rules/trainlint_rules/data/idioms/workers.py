"""Whether a loader has worker processes, as far as its file shows it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum, auto

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Block, How
from trainlint.analysis.syntax.names import argument, constant, last_name, position
from trainlint.analysis.syntax.reaching import reaching, single_value
from trainlint.analysis.types.batches import passed
from trainlint.analysis.types.loaders import Loader
from trainlint.contract.guard import early_guard
from trainlint.finding import Confidence
from trainlint_rules.data import LoaderRule, switched_on

_DEEPEST = 6
_COUNTS_CORES = frozenset({"cpu_count", "sched_getaffinity", "process_cpu_count"})


class Workers(Enum):
    """Worker processes of one loader."""

    NONE = auto()
    """It surely loads in the training process: the option is left out, or always 0."""
    SOME = auto()
    """Always at least one."""
    LIKELY = auto()
    """A variable that holds some number; what the file shows of it is not always 0."""
    OPTIONAL = auto()
    """A variable that is 0 unless somebody says otherwise."""
    UNKNOWN = auto()
    """The options cannot be seen."""


SURE_OF_WORKERS = {
    Workers.SOME: Confidence.CERTAIN,
    Workers.LIKELY: Confidence.LIKELY,
    Workers.OPTIONAL: Confidence.POSSIBLE,
}
"""How sure it is that a loader has worker processes, where it may have some."""


def workers(file: SemanticModel, loader: Loader) -> Workers:
    """Whether a loader has worker processes."""
    option = file.loaders.option(loader, "num_workers")
    if not option.given:
        return Workers.NONE
    if option.value is None:
        return Workers.UNKNOWN
    numbers = list(_numbers(file, option.value, loader.block, _DEEPEST))
    if all(number == 0 for number in numbers):
        return Workers.NONE
    if all(number is not None and number > 0 for number in numbers):
        return Workers.SOME
    seen = [number for number in numbers if number is not None]
    return Workers.OPTIONAL if seen and not any(seen) else Workers.LIKELY


def takes_all_cores(file: SemanticModel, loader: Loader) -> bool:
    """Whether a loader has as many workers as the machine has cores, undivided: `num_workers=os.cpu_count()`."""
    node, block = file.loaders.option(loader, "num_workers").value, loader.block
    for _ in range(_DEEPEST):
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            node = node.values[0]  # os.cpu_count() or 1
        elif isinstance(node, ast.Call):
            counted = node.args[0] if last_name(node.func) == "len" and len(node.args) == 1 else node
            return isinstance(counted, ast.Call) and last_name(counted.func) in _COUNTS_CORES
        elif isinstance(node, ast.Name):
            node = single_value(node, block)
        else:
            return False
    return False


def _numbers(file: SemanticModel, node: ast.expr, block: Block, depth: int) -> Iterator[int | None]:
    """The numbers that an expression may stand for; None for one that the file does not show.

    What stands for some number of cores counts as 1, and a default that the command line may override is
    followed by None.
    """
    value = constant(node)
    if isinstance(value, int):
        yield value
    elif depth <= 0:
        yield None
    elif isinstance(node, ast.IfExp):
        for branch in (node.body, node.orelse):
            yield from _numbers(file, branch, block, depth - 1)
    elif isinstance(node, ast.BoolOp | ast.Call) and (parts := _alternatives(node)):
        for part in parts:
            yield from _numbers(file, part, block, depth - 1)
    elif isinstance(node, ast.Call):
        yield 1 if last_name(node.func) in _COUNTS_CORES else None
    elif isinstance(node, ast.Name):
        yield from _of_name(file, node, block, depth)
    elif isinstance(node, ast.Attribute):
        yield from _of_attribute(file, node, block, depth)
    else:
        yield None


def _alternatives(node: ast.BoolOp | ast.Call) -> list[ast.expr]:
    """The values of which an expression is one: of `a or 1`, and of `min(8, a)`."""
    if isinstance(node, ast.BoolOp):
        return node.values if isinstance(node.op, ast.Or) else []
    return node.args if last_name(node.func) == "min" and not node.keywords else []


def _of_name(file: SemanticModel, node: ast.Name, block: Block, depth: int) -> Iterator[int | None]:
    bindings = reaching(node.id, block, position(node))
    if not bindings:
        yield None
    for binding in bindings:
        if binding.how is How.ASSIGN and binding.value is not None and not binding.path:
            yield from _numbers(file, binding.value, binding.block, depth - 1)
        elif binding.how is How.PARAMETER:
            function = file.outline.function_of.get(binding.block.node)
            given = list(passed(file.graph, function, binding.name)) if function is not None else []
            for value, outer in given:
                yield from _numbers(file, value, outer, depth - 1)
            if not given:
                if binding.value is not None:
                    yield from _numbers(file, binding.value, binding.block, depth - 1)
                yield None
        else:
            yield None


def _of_attribute(file: SemanticModel, node: ast.Attribute, block: Block, depth: int) -> Iterator[int | None]:
    """`self.workers` by what the class assigns, `args.workers` by the default of its command-line option."""
    owner = file.graph.self_class(node.value, block) if isinstance(node.value, ast.Name) else None
    bindings = owner.attributes.get(node.attr, []) if owner is not None else []
    for binding in bindings:
        if binding.value is not None and not binding.path:
            yield from _numbers(file, binding.value, binding.block, depth - 1)
    if not bindings:
        default = _command_line_default(file, node.attr)
        if default is not None:
            yield default
        yield None


def _command_line_default(file: SemanticModel, name: str) -> int | None:
    for place in file.outline.calls.get("add_argument", []):
        if not isinstance(place.node, ast.Call):
            continue
        words = [constant(item) for item in place.node.args]
        if any(isinstance(word, str) and word.lstrip("-").replace("-", "_") == name for word in words):
            value = constant(argument(place.node, "default"))
            return value if isinstance(value, int) else None
    return None


@early_guard
def unbatched(site: Site) -> bool:
    """The loader has no batch size."""
    return constant(site.file.loaders.option(LoaderRule.loader(site), "batch_size").value) is None


def loads_single_items(site: Site) -> bool:
    """Whether the batch size is written out as 1: a batch takes little time to load beside the step or pass."""
    loader = LoaderRule.loader(site)
    size = site.file.loaders.option(loader, "batch_size").value
    known = single_value(size, site.block) if size is not None else None
    return constant(known if known is not None else size) == 1


def is_bare(site: Site) -> bool:
    """Whether the loader is given its dataset only: batches of one, in a demonstration."""
    return len(site.call.args) + len(site.call.keywords) == 1


@early_guard
def starts_workers_itself(site: Site) -> bool:
    """The loader has a `worker_init_fn`, which may split the rows."""
    return switched_on(site, "worker_init_fn")


@early_guard
def has_one_worker(site: Site) -> bool:
    """The loader has one worker."""
    return constant(site.file.loaders.option(LoaderRule.loader(site), "num_workers").value) == 1
