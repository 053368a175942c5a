"""What it costs a loader to make one item: by the dataset's class, as far as the file shows it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.syntax.blocks import Binding, Block, Class, Function, How
from trainlint.analysis.syntax.names import argument, dotted, last_name, names_in, nodes_in
from trainlint.analysis.tables import iterables
from trainlint.analysis.tables.loaders import only_picks
from trainlint.analysis.tables.waits.device_copies import MOVES
from trainlint.analysis.types.batches import passed
from trainlint.analysis.types.loaders import Loader
from trainlint.analysis.types.values import Kind
from trainlint.finding import Heat
from trainlint.patterns import lazy

_WRAPPERS = frozenset({"Subset", "ConcatDataset", "random_split", "ChainDataset", "StackDataset"})
_TABLE_METHODS = frozenset(
    "map select shuffle filter train_test_split with_format rename_column remove_columns shard".split()
)
_BUFFER = lazy(r"buffer|rollout|replay|experience|memory|storage", re.IGNORECASE)
_HELD_BUFFER = lazy(r"(^|_)(buffer|rollouts?|replay|replay_memory|experiences?)$", re.IGNORECASE)
"""Names of what a dataset is made over: experience that lies ready."""
_INDICES = lazy(r"(^|_)(idx|index|indexes|indices)$", re.IGNORECASE)
"""Names of index tensors, over which graph learning samples: their items are numbers."""
_MADE_UP = lazy(r"random|dummy|fake|synthetic|toy|mock|regression", re.IGNORECASE)
_MOVES = lazy(r"\.to\([^)]{0,50}(device|cuda)|device=(?!.?cpu)")
_TOKENS = lazy(r"wiki_?text|penn_?tree|shakespeare|text8|enwik8", re.IGNORECASE)
"""Corpora that language models are shown with: one row of tokens, held in memory whole."""
_FROM_NOTHING = frozenset({"rand", "randn", "randint", "zeros", "ones"})
_DEEPEST = 10
_Made = tuple[ast.expr, Block]
"""An expression and its block."""
_Step = tuple[ast.expr, Block, tuple[int, ...]]
"""The same, and what is picked from its value, as unpacking does."""
_OFTEN = frozenset({Heat.EPOCH, Heat.RARE, Heat.STEP, Heat.INNER, Heat.EVAL_STEP})


class Items(Enum):
    """Where a dataset's items come from."""

    WORK = auto()
    """Each item is read, decoded, augmented or tokenised when it is asked for."""
    TABLE = auto()
    """Rows that were processed before training: a little work each."""
    MEMORY = auto()
    """Each item lies ready in host memory."""
    DEVICE = auto()
    """Items are on the device already."""
    UNKNOWN = auto()


def items_of(file: SemanticModel, dataset: ast.expr, block: Block) -> Items:
    """What making an item of a dataset costs; UNKNOWN where sources disagree or the file does not show them."""
    if file.creates_on_device:
        return Items.DEVICE
    found = {_items(file, node, outer) for node, outer in _origins(file, dataset, block, 0)}
    if found == {Items.UNKNOWN} and _INDICES.search(last_name(dataset)):
        return Items.MEMORY
    for settled in (Items.DEVICE, Items.WORK, Items.TABLE):
        if settled in found:
            return settled
    return Items.MEMORY if found == {Items.MEMORY} else Items.UNKNOWN


def origins(file: SemanticModel, node: ast.expr, block: Block) -> list[_Made]:
    """The expressions that made a dataset, or anything that is handed about like one, with their blocks.

    What the file does not show the making of comes back as it stands: a parameter, an attribute, an imported name.
    """
    return list(_origins(file, node, block, 0))


def are_indices(dataset: ast.expr) -> bool:
    """Whether a dataset is by its name an index tensor, whose batches say which rows to take from elsewhere."""
    return bool(_INDICES.search(last_name(dataset)))


def _origins(
    file: SemanticModel, node: ast.expr, block: Block, depth: int, path: tuple[int, ...] = ()
) -> Iterator[_Made]:
    """The expressions that made a dataset, through names, attributes, wrappers and calls inside the file."""
    if depth > _DEEPEST:
        return
    for step in _step_back(file, node, block, path):
        if step is None:
            yield node, block
        else:
            further, outer, left = step
            yield from _origins(file, further, outer, depth + 1, left)


def _step_back(file: SemanticModel, node: ast.expr, block: Block, path: tuple[int, ...]) -> Sequence[_Step | None]:
    """What an expression was made of, one step back; None among it where the file does not show that."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) if path and 0 <= path[0] < len(parts):
            return [(parts[path[0]], block, path[1:])]
        case ast.Subscript():
            return [(node.value, block, ())]
        case ast.IfExp():
            return [(node.body, block, path), (node.orelse, block, path)]
        case ast.Call():
            return _wrapped_datasets(file, node, block, path) or [None]
    bindings = file.outline.bindings(node, block)
    return [step for binding in bindings for step in _bound(file, binding, path)] if bindings else [None]


def _bound(file: SemanticModel, binding: Binding, path: tuple[int, ...]) -> Sequence[_Step | None]:
    """The same of a binding: what is assigned, or what calls in the file pass for a parameter."""
    if binding.how is How.ASSIGN and binding.value is not None:
        return [(binding.value, binding.block, binding.path + path)]
    if binding.how is not How.PARAMETER:
        return []
    function = file.outline.function_of.get(binding.block.node)
    given = list(passed(file.graph, function, binding.name)) if function is not None else []
    return [(*item, path) for item in given] or [None]


def _wrapped_datasets(file: SemanticModel, call: ast.Call, block: Block, path: tuple[int, ...]) -> list[_Step]:
    """What a call wraps or returns that is itself a dataset."""
    if last_name(call.func) in _WRAPPERS and call.args:
        return [(given, block, ()) for given in getattr(call.args[0], "elts", call.args[:1])]
    edge = file.graph.callee.get(call)
    if edge is None or edge.passed:
        return []
    return [
        (place.node.value, place.block, path)
        for place in edge.function.returns
        if isinstance(place.node, ast.Return) and place.node.value is not None
    ]


def _items(file: SemanticModel, node: ast.expr, block: Block) -> Items:
    if isinstance(node, ast.List | ast.ListComp | ast.Tuple | ast.Dict):
        return Items.MEMORY
    value = file.kinds.of(node, block)
    if value.kind in (Kind.TENSOR, Kind.ARRAY) and value.proved:
        return Items.DEVICE if _is_on_device(file, node, block) else Items.MEMORY
    if not isinstance(node, ast.Call):
        return Items.MEMORY if _BUFFER.search(last_name(node)) else Items.UNKNOWN
    return _items_of_constructor(file, node, block)


def _items_of_constructor(file: SemanticModel, call: ast.Call, block: Block) -> Items:
    if last_name(call.func) == "TensorDataset":
        return (
            Items.DEVICE if call.args and all(_is_on_device(file, item, block) for item in call.args) else Items.MEMORY
        )
    found = _of_library(call, file.outline.imported(call.func, block) or "")
    if found is Items.UNKNOWN and isinstance(call.func, ast.Name):
        cls = file.graph.class_named(call.func, block)
        found = _of_class(file, cls) if cls is not None else Items.UNKNOWN
    return found if found is not Items.UNKNOWN else _by_name(call)


def _of_library(call: ast.Call, origin: str) -> Items:
    """What the datasets of libraries cost, and sequences of Python."""
    name = last_name(call.func)
    if isinstance(call.func, ast.Name) and (
        iterables.reads_all_items(name) or iterables.counts_rounds(name) or iterables.zips_items(name)
    ):
        return Items.MEMORY
    if origin.startswith(("torchvision.datasets.", "torchaudio.datasets.")):
        return Items.WORK
    if origin.startswith("torch_geometric.datasets."):
        return Items.MEMORY if argument(call, "transform") is None else Items.WORK  # graphs are processed once
    if origin.startswith("datasets.") or (name in _TABLE_METHODS and isinstance(call.func, ast.Attribute)):
        return Items.TABLE
    return Items.UNKNOWN


def _by_name(call: ast.Call) -> Items:
    """MEMORY where the names in a call say that the data lies there, or is made up."""
    if any(pattern.search(last_name(call.func)) for pattern in (_BUFFER, _MADE_UP, _TOKENS)):
        return Items.MEMORY
    if any(_HELD_BUFFER.search(last_name(item)) for item in call.args):
        return Items.MEMORY
    classes = (item for item in names_in(call) if item.endswith("Dataset"))  # what a builder is to build
    return Items.MEMORY if any(_MADE_UP.search(item) for item in classes) else Items.UNKNOWN


def _is_on_device(file: SemanticModel, tensor: ast.expr, block: Block) -> bool:
    """Whether a tensor is made on the device, or moved there, in plain sight: a guess from its name is not enough."""
    made = [node for node, _ in _origins(file, tensor, block, 0)]
    return any(
        last_name(part.func) in MOVES or argument(part, "device") is not None
        for node in made
        for part in nodes_in(node)
        if isinstance(part, ast.Call)
    )


def _of_class(file: SemanticModel, cls: Class) -> Items:
    method = file.graph.method(cls, "__getitem__")
    if method is None:
        rounds = file.graph.method(cls, "__iter__")
        made_up = rounds is not None and only_picks(_calls(rounds)) and bool(_calls(rounds) & _FROM_NOTHING)
        return Items.MEMORY if made_up else Items.UNKNOWN
    whole = ast.unparse(cls.node)
    if ".cuda(" in whole or _MOVES.search(whole):
        return Items.DEVICE
    return Items.MEMORY if only_picks(_calls(method)) else Items.WORK


def _calls(method: Function) -> set[str]:
    return {last_name(node.func) for node in nodes_in(method.node) if isinstance(node, ast.Call)}


def changes_between_passes(file: SemanticModel, loader: Loader) -> bool:
    """Whether code that runs again and again assigns to a loader's dataset, or calls a method for what it does.

    A method that is called for its result (`loader.dataset.decode(x)`) asks, and changes nothing.
    """
    dataset = argument(loader.call, "dataset", 0)
    name = dotted(dataset) if dataset is not None else None

    def is_dataset(node: ast.expr) -> bool:
        return last_name(node) == "dataset" or (name is not None and dotted(node) == name)

    for place in file.outline.all_calls():
        match place.statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=changed)) as call) if call is place.node:
                if is_dataset(changed) and file.heats.of(place.block).heat in _OFTEN:
                    return True
    return any(
        isinstance(target, ast.Attribute) and is_dataset(target.value)
        for places in file.outline.stores.values()
        for place in places
        if isinstance(place.statement, ast.Assign) and file.heats.of(place.block).heat in _OFTEN
        for target in place.statement.targets
    )
