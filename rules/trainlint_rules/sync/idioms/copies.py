"""What is known of a tensor that is copied to the device: that it is one, and which host memory it lies in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.blocks import Class
from trainlint.analysis.syntax.memo import once
from trainlint.analysis.syntax.names import argument, constant, dotted, last_name, nodes_in, root_name
from trainlint.analysis.syntax.reaching import single_value
from trainlint.analysis.tables.loaders import collates_tensors, is_named_as_loader
from trainlint.analysis.tables.signs import ANY_ACCELERATOR, MPS, XLA
from trainlint.analysis.tables.waits.device_copies import COPIES, MOVES
from trainlint.analysis.types.loaders import Loader
from trainlint.analysis.types.values import Kind, Origin

_ONLY_TENSORS = frozenset(
    "view view_as reshape permute transpose unsqueeze squeeze flatten contiguous expand repeat size dim numel "
    "float half long int double bfloat16 bool type_as new_zeros new_ones clamp mean sum detach argmax "
    "masked_fill gather eq".split()
)
"""Methods of tensors that no other class of batches is likely to have."""
CASTS = frozenset("float half long int double bfloat16 bool short byte".split())
"""Methods of tensors that make one of another type."""
_TAKE_TENSORS = ("torch.nn.functional.", "torch.cat", "torch.stack", "torch.argmax", "torch.sum", "torch.where")


class Memory(Enum):
    """What the file shows of the host memory that a batch is copied from."""

    PINNED = auto()
    PAGEABLE = auto()
    UNKNOWN = auto()


def memory_of(site: Site, batch: ast.expr) -> Memory:
    """The memory that a loader puts a batch in."""
    sources = site.file.batches.sources(batch, site.block)
    if not sources:
        return Memory.UNKNOWN
    return Memory.PINNED if any(_pins(site.file, loader) for loader in sources) else Memory.PAGEABLE


def unpinned_loaders(site: Site) -> Iterator[Site]:
    """The constructions of the loaders in this file that a copied batch comes from and that do not pin memory."""
    for loader in sorted(site.file.batches.sources(copied(site), site.block), key=lambda item: item.call.lineno):
        if not _pins(site.file, loader):
            yield site.at(loader.call, loader.block)


def _pins(file: SemanticModel, loader: Loader) -> bool:
    """Whether a loader puts its batches into pinned memory, or may be told to."""
    option = file.loaders.option(loader, "pin_memory")
    return option.given and constant(option.value) is not False


@once
def builds_unpinned_loaders(file: SemanticModel) -> bool:
    """Whether a file builds loaders, of any class that is named so, and none that may pin memory."""
    built = [node for node in nodes_in(file.tree) if isinstance(node, ast.Call)]
    loaders = [call for call in built if is_named_as_loader(last_name(call.func))]
    return bool(loaders) and not any(
        keyword.arg in ("pin_memory", None) for call in loaders for keyword in call.keywords
    )


def cast_on_host(site: Site, batch: ast.expr) -> str | None:
    """The method, as in `x.float().to(device)`, that may make a pageable tensor of a pinned one before the copy."""
    while isinstance(batch, ast.Subscript):
        batch = batch.value
    made = single_value(batch, site.block) or batch
    if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Attribute) or made.args or made.keywords:
        return None
    return made.func.attr if made.func.attr in CASTS else None


def copies_argument(site: Site) -> bool:
    """Whether a call of `MOVING_TENSORS` copies its first argument, and not the tensor whose method it is."""
    return COPIES[last_name(site.call.func)].of_argument


def copied(site: Site) -> ast.expr:
    """What a call of `MOVING_TENSORS` copies. Raises TypeError where a function is given nothing."""
    return site.call.args[0] if copies_argument(site) and site.call.args else site.receiver


def says_whether_to_wait(site: Site) -> bool:
    """Whether a copy sets `non_blocking`, by name, by position, or out of sight."""
    call = site.call
    if copies_argument(site):
        return len(call.args) != 1 or any(item.arg in ("non_blocking", None) for item in call.keywords)
    if any(keyword.arg in ("non_blocking", "async", None) for keyword in call.keywords):
        return True
    return any(isinstance(item, ast.Starred) or site.value(item).kind is not Kind.DTYPE for item in call.args[1:])


def in_own_to(site: Site, node: ast.expr) -> bool:
    """Whether this is a tensor of an object whose own `to` or `cuda` is just running: a batch class, no module."""
    function = site.function
    if function is None or function.owner is None or function.name not in (*MOVES, "to_device"):
        return False
    if site.file.kinds.is_module_class(function.owner) or not function.parameters:
        return False
    held = single_value(node, site.block) or node
    return isinstance(held, ast.Attribute) and root_name(held) == function.parameters[0].arg


def is_surely_tensor(site: Site, node: ast.expr) -> bool:
    """Whether a batch's part is a tensor, not an object of the project's own with a `to` of its own."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ONLY_TENSORS:
        return True
    call = site.call
    if last_name(call.func) in ("cuda", "type", "copy_") or len(call.args) > 1:
        return True
    if any(argument(call, name) is not None for name in ("dtype", "memory_format")):
        return True
    sources = site.file.batches.sources(node, site.block)
    if sources and all(_collates_tensors(site.file, loader) for loader in sources):
        return True
    return _used_as_tensor(site, node)


def takes_non_blocking(site: Site, node: ast.expr) -> bool:
    """Whether the method that copies surely takes `non_blocking`, as that of tensors and packed sequences does.

    Of classes in the file, their own `to` or `cuda` tells; classes of other files and libraries may take it or not.
    """
    classes = [site.file.graph.instance_class(node, site.block), *_collated_classes(site, node)]
    known = [item for item in classes if item is not None]
    if known:
        return all(_method_takes(site.file, cls, last_name(site.call.func)) for cls in known)
    value = site.value(node)
    if value.is_tensor and value.proved and value.origin is not Origin.BATCH:
        return True
    made = single_value(node, site.block) or node
    packed = isinstance(made, ast.Call) and (site.origin(made.func) or "").startswith("torch.nn.utils.rnn.")
    return packed or is_surely_tensor(site, node)


def _method_takes(file: SemanticModel, cls: Class, name: str) -> bool:
    method = file.graph.method(cls, name)
    if method is None:
        return file.kinds.is_module_class(cls)
    arguments = method.node.args
    return arguments.kwarg is not None or any(item.arg == "non_blocking" for item in method.parameters)


def _collated_classes(site: Site, node: ast.expr) -> Iterator[Class | None]:
    """The classes of the batches that collate functions in the file make; None for what is no such object."""
    for loader in site.file.batches.sources(node, site.block):
        collate = site.file.loaders.option(loader, "collate_fn").value
        if collate is None:
            continue
        for function in site.file.outline.functions:
            if function.name == last_name(collate):
                for place in function.returns:
                    if isinstance(place.node, ast.Return) and place.node.value is not None:
                        yield site.file.graph.instance_class(place.node.value, place.block)


def _collates_tensors(file: SemanticModel, loader: Loader) -> bool:
    """Whether a loader's batches are made of plain tensors and containers."""
    collate = file.loaders.option(loader, "collate_fn")
    return not collate.given or (collate.value is not None and collates_tensors(last_name(collate.value)))


def _used_as_tensor(site: Site, node: ast.expr) -> bool:
    """Whether the same name is used, in this function, in a way that only tensors allow."""
    if not isinstance(node, ast.Name):
        return False
    uses = _uses(site.file, _root(site))
    takers = uses.takers.get(node.id, {}).values()
    origins = (site.file.outline.imported(function, site.block) for function in takers)
    return node.id in uses.as_tensors or any((origin or "").startswith(_TAKE_TENSORS) for origin in origins)


@dataclass(frozen=True, slots=True)
class _Uses:
    """What a function or module does with its names."""

    as_tensors: frozenset[str]
    """Names used in a way that only tensors allow."""
    takers: dict[str, dict[str, ast.expr]]
    """For each name, the functions that are given it, by how they are written."""


@once
def _uses(file: SemanticModel, root: ast.AST) -> _Uses:
    """The uses of names in a function or module, those in functions inside it included."""
    as_tensors: set[str] = set()
    takers: dict[str, dict[str, ast.expr]] = {}
    for used in nodes_in(root):
        if isinstance(used, ast.Call):
            function = used.func
            if isinstance(function, ast.Attribute) and function.attr in _ONLY_TENSORS:
                as_tensors |= _names(function.value)
            for name in _names(*used.args):
                takers.setdefault(name, {}).setdefault(dotted(function) or "", function)
        elif isinstance(used, ast.Attribute) and used.attr in ("shape", "ndim", "dtype"):
            as_tensors |= _names(used.value)
        elif isinstance(used, ast.BinOp):
            as_tensors |= _names(used.left, used.right)
    return _Uses(frozenset(as_tensors), takers)


def _names(*nodes: ast.expr) -> set[str]:
    """Those of several expressions that are plain names."""
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _root(site: Site) -> ast.AST:
    function = site.function
    return function.node if function is not None else site.file.tree


def file_names_other_accelerators(file: SemanticModel) -> bool:
    """Whether the file may run on MPS or XLA, where asynchronous copies behave differently."""
    return file.names.show(MPS, XLA, ANY_ACCELERATOR)
