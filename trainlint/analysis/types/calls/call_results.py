"""What calls return: PyTorch's functions and methods, built-ins, and the file's own functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from trainlint.analysis.syntax.blocks import Block, Function
from trainlint.analysis.syntax.local_calls import Edge
from trainlint.analysis.syntax.names import argument, last_name
from trainlint.analysis.tables import iterables, loaders, structure_maps
from trainlint.analysis.tables.collectives import IN_CHARGE, RETURNING_METHODS
from trainlint.analysis.tables.common_names import FOREIGN
from trainlint.analysis.tables.host_reads import CPU, READS, TO_NO_TENSOR, Gives
from trainlint.analysis.tables.module_methods import RETURN_SELF
from trainlint.analysis.tables.parallel import wraps_model
from trainlint.analysis.tables.waits.device_copies import MOVES
from trainlint.analysis.types.access_paths import PARTIAL, AccessPath, Start, extended_paths, joined_paths
from trainlint.analysis.types.batch_sources import is_batch_source
from trainlint.analysis.types.calls.identity_results import handed_back, hands_back
from trainlint.analysis.types.calls.module_outputs import output, where_given
from trainlint.analysis.types.calls.numpy_values import array_method, numpy_result
from trainlint.analysis.types.calls.scattered_arguments import wrapped_model
from trainlint.analysis.types.evidence import ASSUMED_HOME
from trainlint.analysis.types.named_devices import device_of
from trainlint.analysis.types.reflection import reflected
from trainlint.analysis.types.structures.project_classes import object_of, tuple_of
from trainlint.analysis.types.structures.structure import mapped, moved_to_home
from trainlint.analysis.types.values import NONE, NUMBER, STRING, UNKNOWN, Home, Kind, Origin, Value, combine, merge
from trainlint.analysis.types.vocabulary import (
    COMPUTING_METHOD,
    CRITERION_NAME,
    DETACHING,
    FACTORIES,
    LIKE_FACTORIES,
    LOSS_FUNCTIONS,
    TENSOR_NUMBERS,
    TORCH_NUMBERS,
    constructed,
    named_constant,
)
from trainlint.patterns import lazy

if TYPE_CHECKING:
    from trainlint.analysis.types.inference import Kinds

_NUMBERS = Value(Kind.CONTAINER, element=NUMBER)
_KEYS = Value(Kind.CONTAINER, element=STRING)
_EMPTY = frozenset({"dict", "list", "set"})
_EMPTY_ORIGINS = frozenset({"collections.defaultdict", "collections.deque", "collections.OrderedDict"})
_BUILTINS: Mapping[str, Value] = {
    **dict.fromkeys("float int bool len round ord isinstance hasattr id hash any all callable".split(), NUMBER),
    **dict.fromkeys("str repr format input".split(), STRING),
    **dict.fromkeys("map dict set getattr type super open".split(), UNKNOWN),
    "print": NONE,
}
_READ = {Gives.NUMBER: NUMBER, Gives.NUMBERS: _NUMBERS, Gives.ARRAY: Value(Kind.ARRAY)}
_TENSOR_RESULTS: Mapping[str, Value] = {
    **dict.fromkeys(TENSOR_NUMBERS, NUMBER),
    **{name: _READ[READS[name].gives] for name in TO_NO_TENSOR},
    "backward": NONE,
}
"""Methods of tensors that give no tensor."""
_NO_TENSORS = ("torch.distributed.", "torch.utils.", "torch.cuda.", "torch.backends.", "torch.optim.", "torch.version.")
_SURE_OF_TORCH = 0.8
_MAY_HOLD_MODULE = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
_MOVING_LOADER = Value(Kind.LOADER, prepared=True)
_BROUGHT_TOGETHER = 0.8
"""How sure it is that what ranks bring together is a tensor: dicts and tuples of tensors may be, too."""
_HOLDING = frozenset({Kind.TENSOR, Kind.CONTAINER})
_STORED = frozenset({"torch.load", "torch.save", "torch.hub.load"})
_PASSING = frozenset({"abs", "max", "min", "deepcopy", "copy"})
_MODULE_WRAPPERS = frozenset({"compile", "convert_sync_batchnorm", "unwrap_model"})

_MODULES_OF_MODULES = frozenset({"Sequential", "ModuleList", "ModuleDict"})
_PLAIN = frozenset({Kind.NUMBER, Kind.STRING, Kind.NONE, Kind.SHAPE, Kind.DTYPE, Kind.DEVICE})
"""What other files cannot say more of."""
_PREDICATE = lazy(r"^_?(is|has|are|can)_")
"""Functions that answer yes or no in Python. Those of tensors are called isnan, isinf, isclose."""
_CLASS_NAME = lazy(r"[A-Z][a-z]")


def call_value(kinds: Kinds, call: ast.Call, block: Block) -> Value:
    """The value of a call expression."""
    origin = kinds.imported(call.func, block)
    found = _call_value(kinds, call, block, origin)
    if found.access_paths or found.kind in _PLAIN:
        return found
    return found.with_access_paths(*_from(kinds, call, block, origin))


def _where_given(kinds: Kinds, call: ast.Call, block: Block, found: Value) -> Value:
    """What a call returns: of a module, where what it is given is."""
    if found.kind not in _HOLDING or kinds.of(call.func, block).kind is not Kind.MODULE:
        return found
    return where_given(kinds, call, block, found, _arguments(kinds, call, block))


def _from(kinds: Kinds, call: ast.Call, block: Block, origin: str | None) -> tuple[AccessPath, ...]:
    """Where a call's result comes from, as far as other files may tell."""
    made = _from_class(kinds, call.func, block) if isinstance(call.func, ast.Name) else None
    if made is not None:
        return made
    name = last_name(call.func)
    if _wraps_module(name) and call.args:
        return kinds.of(call.args[0], block).access_paths
    found = reflected(kinds, call, block)
    if found is not None:
        return found
    if isinstance(call.func, ast.Attribute) and name in RETURN_SELF:
        handed_on = kinds.of(call.func.value, block).access_paths
        if handed_on:
            return handed_on
    if origin == "functools.partial" and call.args and not isinstance(call.args[-1], ast.Starred):
        return _from_partial(kinds, call, block)
    if origin is not None and origin.partition(".")[0] in FOREIGN and origin not in loaders.TORCH_ORIGINS:
        return ()
    return (AccessPath(Start.CALL, kinds.keys.call(call)),)


def _from_class(kinds: Kinds, func: ast.Name, block: Block) -> tuple[AccessPath, ...] | None:
    """What a call of a class of the file makes, or what `super()` gives; None for any other name."""
    cls = kinds.graph.class_named(func, block)
    if cls is not None:
        return (AccessPath(Start.INSTANCE, cls.name),)
    if func.id != "super":
        return None
    function = kinds.graph.enclosing(block)
    owner = function.owner if function is not None else None
    return (AccessPath(Start.SUPER, owner.name),) if owner is not None else ()


def _from_partial(kinds: Kinds, call: ast.Call, block: Block) -> tuple[AccessPath, ...]:
    """The function given to `functools.partial`, with the number of arguments that are already bound."""
    partial = kinds.of(call.args[0], block).access_paths
    return extended_paths(partial, f"{PARTIAL}{len(call.args) - 1}") if len(call.args) > 1 else partial


def _call_value(kinds: Kinds, call: ast.Call, block: Block, origin: str | None) -> Value:
    name = last_name(call.func)
    if call.keywords and argument(call, "return_tensors") is not None and argument(call, "device") is None:
        # A tokenizer's or processor's batch lies on the host until it is moved.
        return Value(Kind.CONTAINER, element=Value(Kind.TENSOR, Home.HOST, False, confidence=0.9))
    found = mapped(kinds, call, block) if name in structure_maps.NAMES else None
    if found is not None:
        return found
    if origin is not None:
        found = _imported(kinds, call, block, origin, name)
        if found is not None:
            return found
    edge = kinds.graph.callee.get(call)
    if edge is not None and not edge.passed:
        found = _returned(kinds, call, block, edge)
        if found is not None:
            return _where_given(kinds, call, block, found)
    if isinstance(call.func, ast.Name):
        found = _plain(kinds, call, block, name)
        if found is not None:
            return found
    if isinstance(call.func, ast.Attribute) and origin is None:
        return _method(kinds, call, block, call.func)
    return _called(kinds, call, block, name)


def _returned(kinds: Kinds, call: ast.Call, block: Block, edge: Edge) -> Value | None:
    """What a function of the file returns; None where nothing is known of that."""
    if edge.function.owner is not None and is_left_open(edge.function):
        return UNKNOWN
    returned = kinds.outcome(edge.function)
    if hands_back(returned, kinds.keys.function(edge.function)):
        returned = handed_back(returned, kinds.keys.function(edge.function), _argument_values(kinds, call, block, edge))
    if returned.kind is Kind.UNKNOWN:
        return UNKNOWN if edge.function.is_generator else None
    return _graph(kinds, returned, block, call)


def is_left_open(function: Function) -> bool:
    """Whether a method does nothing but raise, or nothing at all, so that derived classes fill it in."""
    node = function.node
    if isinstance(node, ast.Lambda):
        return False
    body = (item for item in node.body if not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant)))
    first = next(body, None)
    if first is None or isinstance(first, ast.Raise):
        return True
    return isinstance(first, ast.Pass) and all(isinstance(item, ast.Pass) for item in body)


def _argument_values(kinds: Kinds, call: ast.Call, block: Block, edge: Edge) -> dict[str, Value]:
    """What a call gives to the parameters of a function of the file."""
    names = [item.arg for item in edge.function.parameters[edge.function.takes_object :]]
    plain = [item for item in call.args if not isinstance(item, ast.Starred)]
    given = {name: kinds.of(item, block) for name, item in zip(names, plain, strict=False)}
    return given | {item.arg: kinds.of(item.value, block) for item in call.keywords if item.arg is not None}


def _graph(kinds: Kinds, value: Value, block: Block, call: ast.Call) -> Value:
    """A tensor made where autograd is off carries no graph."""
    if value.is_tensor and value.attached is not False and kinds.gradients.off(block, call.lineno):
        return value.detached()
    return value


def _wraps_module(name: str) -> bool:
    return name in _MODULE_WRAPPERS or wraps_model(name)


def _arguments(kinds: Kinds, call: ast.Call, block: Block) -> list[Value]:
    given = [kinds.of(item, block) for item in call.args]
    if call.keywords:
        given += [kinds.of(keyword.value, block) for keyword in call.keywords]
    return given


def _of_known_library(kinds: Kinds, call: ast.Call, block: Block, origin: str) -> Value | None:
    """What a function of the standard library or of NumPy returns, or what a class makes; None where it is unknown."""
    if origin in _EMPTY_ORIGINS and (not call.args or origin == "collections.defaultdict"):
        return Value(Kind.CONTAINER)
    if origin in ("copy.deepcopy", "copy.copy") and call.args:
        return kinds.of(call.args[0], block)
    return numpy_result(kinds, call, block, origin) or constructed(origin)


def _loader_or_wrapper(call: ast.Call, name: str) -> Value | None:
    """A loader, or a model in a wrapper, as their classes' names tell; None for other calls."""
    if loaders.is_loader_class(name):
        return Value(Kind.LOADER, prepared=loaders.takes_device(name) and argument(call, "device") is not None)
    return wrapped_model(call, name) if _wraps_module(name) else None


def _imported(kinds: Kinds, call: ast.Call, block: Block, origin: str, name: str) -> Value | None:
    known = _loader_or_wrapper(call, name)
    if known is not None:
        return known
    if origin.startswith("torch."):
        of_text = named_constant(origin.rpartition(".")[0])
        return _torch(kinds, call, block, origin, name) if of_text is None else of_text
    found = _of_known_library(kinds, call, block, origin)
    if found is not None:
        return found
    if loaders.moves_batches(name):
        return _MOVING_LOADER
    if name[:1].isupper():
        return UNKNOWN
    if _PREDICATE.match(name):
        return NUMBER
    if (CRITERION_NAME.search(name) or LOSS_FUNCTIONS.search(name)) and _is_given_tensor(kinds, call, block):
        return _graph(kinds, Value(Kind.TENSOR, kinds.device, True, Origin.LOSS, 0.8), block, call)
    return None


def _is_given_tensor(kinds: Kinds, call: ast.Call, block: Block) -> bool:
    return combine(_arguments(kinds, call, block)).is_tensor


def _torch(kinds: Kinds, call: ast.Call, block: Block, origin: str, name: str) -> Value:
    if origin == "torch.device":
        return Value(Kind.DEVICE)
    made = _created(kinds, call, block, origin, name)
    if made is not None:
        return made
    if name == "get_default_dtype":
        return Value(Kind.DTYPE)
    if name in TORCH_NUMBERS or _PREDICATE.match(name):
        return NUMBER
    found = constructed(origin)
    if found is not None:
        return _holding(kinds, call, block, found) if name in _MODULES_OF_MODULES else found
    if origin.startswith("torch.autograd.Variable") and call.args:
        return kinds.of(call.args[0], block)
    if _gives_anything(origin, name):
        return UNKNOWN
    return _graph(kinds, _computed(kinds, call, block, origin, name), block, call)


def _gives_anything(origin: str, name: str) -> bool:
    """Whether a function of PyTorch gives no tensor, or nobody knows what: classes, helpers of its own."""
    if origin in _STORED or origin.startswith(_NO_TENSORS):
        return True
    if name[:1].isupper():
        return not origin.startswith("torch.nn.functional")
    return name.startswith("_") and not name.startswith("_foreach_")


def _created(kinds: Kinds, call: ast.Call, block: Block, origin: str, name: str) -> Value | None:
    """The tensor that one of PyTorch's factories makes; None for other functions."""
    if name in FACTORIES and not origin.startswith("torch.nn"):
        home = device_of(kinds, call, block)
        if home is None and not _leaves_device_open(call):
            return Value(Kind.TENSOR, kinds.device, False, Origin.FACTORY, evidence=ASSUMED_HOME)
        home = home or (Home.DEVICE if ".cuda." in origin else Home.HOST)
        return Value(Kind.TENSOR, home, False, Origin.FACTORY)
    if name in LIKE_FACTORIES and call.args:
        home = device_of(kinds, call, block) or kinds.of(call.args[0], block).home
        return Value(Kind.TENSOR, home, False, Origin.FACTORY)
    return None


def _leaves_device_open(call: ast.Call) -> bool:
    """Whether a factory is given no `device`, or None."""
    given = argument(call, "device")
    return given is None or (isinstance(given, ast.Constant) and given.value is None)


def _computed(kinds: Kinds, call: ast.Call, block: Block, origin: str, name: str) -> Value:
    """What a function of PyTorch computes from the tensors that it is given."""
    given = [
        value if value.kind is not Kind.CONTAINER else value.element or UNKNOWN
        for value in _arguments(kinds, call, block)
    ]
    tensor = combine(given)
    if not tensor.is_tensor:
        tensor = Value(Kind.TENSOR, kinds.device, None, confidence=_SURE_OF_TORCH, evidence=ASSUMED_HOME)
    tensor = tensor.at_least(_SURE_OF_TORCH)  # whatever is known of the arguments, PyTorch gives a tensor
    if origin.startswith("torch.nn.functional.") and LOSS_FUNCTIONS.search(name):
        tensor = tensor.with_origin(tensor.home, tensor.attached is not False, Origin.LOSS)
    elif tensor.origin in (Origin.BATCH, Origin.NAME):
        tensor = tensor.with_origin(tensor.home, tensor.attached, Origin.OTHER)
    return tensor.detached() if name in DETACHING else tensor


def _holding(kinds: Kinds, call: ast.Call, block: Block, module: Value) -> Value:
    """A module of modules: what it holds is its element, and a call of a Sequential is a call of each."""
    in_order = last_name(call.func) == "Sequential"
    given = []
    for item in call.args:
        value = kinds.of(item, block)
        given.append(value if in_order and not isinstance(item, ast.Starred) else kinds.element(value))
    access_paths = joined_paths([access_path for value in given for access_path in value.access_paths])
    held = replace(module, element=module.with_access_paths(*access_paths) if access_paths else None)
    return held.with_access_paths(*access_paths) if in_order else held


def _plain(kinds: Kinds, call: ast.Call, block: Block, name: str) -> Value | None:
    """Built-in functions; None for any other plain name."""
    if block.scope.owner(name) is not None:
        return None
    if name in _EMPTY and not call.args and not call.keywords:
        return Value(Kind.CONTAINER)
    if name in _BUILTINS:
        return _BUILTINS[name]
    if iterables.only_iterates(name) and not iterables.keeps_container(name):
        return UNKNOWN
    return _from_arguments(kinds, call, block, name) if call.args else None


def _from_arguments(kinds: Kinds, call: ast.Call, block: Block, name: str) -> Value | None:
    """What a built-in function takes from its arguments or hands on of them; None for any other name."""
    if name == "next":
        return _next_item(kinds, call.args[0], block)
    if name == "sum" or (name in ("max", "min") and len(call.args) == 1):
        return kinds.element(kinds.of(call.args[0], block))
    passes = name in _PASSING or iterables.keeps_container(name)
    return merge(kinds.of(item, block) for item in call.args) if passes else None


def _next_item(kinds: Kinds, iterator: ast.expr, block: Block) -> Value:
    """What `next` gives of an iterator: a batch, where that iterates a loader."""
    source = kinds.of(iterator, block)
    if source.kind is Kind.LOADER:
        return kinds.batch(source)
    return kinds.batch(Value(Kind.LOADER)) if is_batch_source(iterator, block) else kinds.element(source)


def _method(kinds: Kinds, call: ast.Call, block: Block, func: ast.Attribute) -> Value:
    base = kinds.of(func.value, block)
    if not base.is_tensor and func.attr in TO_NO_TENSOR:
        return _TENSOR_RESULTS[func.attr]
    return _METHODS.get(base.kind, _method_by_name)(kinds, call, block, base, func.attr)


def _method_by_name(kinds: Kinds, call: ast.Call, block: Block, base: Value, name: str) -> Value:
    """The result of a method of something unknown."""
    assert isinstance(call.func, ast.Attribute)
    if name in ("size", "shape"):
        return Value(Kind.SHAPE)
    if name == "apply" and _CLASS_NAME.match(last_name(call.func.value)):
        given = combine(_arguments(kinds, call, block))  # of an autograd function
        return given if given.is_tensor else UNKNOWN
    if loaders.hands_back_in_order(name) and len(call.args) == 1:
        return replace(kinds.of(call.args[0], block), prepared=True)
    if name in RETURNING_METHODS and call.args and IN_CHARGE.search(last_name(call.func.value)):
        return _brought_together(kinds, kinds.of(call.args[0], block))
    found = _called(kinds, call, block, name)
    if found is UNKNOWN and name in MOVES:
        home = _home_after(kinds, call, block, name)
        return found if home is None else replace(found, home=home)  # whatever it is, it lies there
    return found


def _brought_together(kinds: Kinds, given: Value) -> Value:
    """What a method of Accelerate or Fabric returns of a value of all ranks: tensors, where the program computes."""
    if given.kind is Kind.UNKNOWN:
        return Value(Kind.TENSOR, kinds.computing_home, False, confidence=_BROUGHT_TOGETHER)
    return moved_to_home(given, kinds.computing_home)


def _container_method(kinds: Kinds, call: ast.Call, block: Block, base: Value, name: str) -> Value:
    if name in MOVES and base.element is not None:
        home = _home_after(kinds, call, block, name)
        return base if home is None else base.holding(base.element.lying(home))
    if name in ("get", "pop", "popleft", "setdefault"):
        return kinds.element(base)
    if name == "keys":
        return _KEYS
    return base if name in ("values", "copy") else UNKNOWN


def _plain_method(kinds: Kinds, call: ast.Call, block: Block, base: Value, name: str) -> Value:
    return replace(base, literal=False) if base.literal else base


def _loader_method(kinds: Kinds, call: ast.Call, block: Block, base: Value, name: str) -> Value:
    return kinds.batch(base) if name in ("next", "__next__") else _method_by_name(kinds, call, block, base, name)


def _scaler_method(kinds: Kinds, call: ast.Call, block: Block, base: Value, name: str) -> Value:
    if name == "scale" and call.args:
        return kinds.of(call.args[0], block)
    return NUMBER if name == "get_scale" else UNKNOWN


def _optimizer_method(kinds: Kinds, call: ast.Call, block: Block, base: Value, name: str) -> Value:
    return _NUMBERS if name == "get_last_lr" else UNKNOWN


def _home_after(kinds: Kinds, call: ast.Call, block: Block, name: str) -> Home | None:
    """Where `.to(...)`, `.cuda()` or `.cpu()` puts things; None where `.to` names no place."""
    if name == "to":
        return device_of(kinds, call, block)
    return Home.HOST if name == CPU.name else Home.DEVICE


def _plain_result(call: ast.Call, name: str) -> Value | None:
    """What a method of a tensor gives that is no tensor; None for other methods."""
    if name in ("size", "stride"):
        return Value(Kind.SHAPE) if not call.args else NUMBER
    if name == "type" and not (call.args or call.keywords):
        return STRING
    return _TENSOR_RESULTS.get(name)


def _tensor_method(kinds: Kinds, call: ast.Call, block: Block, base: Value, name: str) -> Value:
    plain = _plain_result(call, name)
    if plain is not None:
        return plain
    if name in MOVES or name == CPU.name:
        home = _home_after(kinds, call, block, name)
        return base if home is None else base.lying(home)
    if name in DETACHING:
        return base.detached()
    if name.startswith("new_"):
        return Value(Kind.TENSOR, device_of(kinds, call, block) or base.home, False, Origin.FACTORY)
    if name == "keys":
        return _KEYS
    if name in ("items", "values"):
        return Value(Kind.CONTAINER, element=kinds.element(base))
    others = [value for value in _arguments(kinds, call, block) if value.kind is Kind.TENSOR]
    return combine([base, *others]) if others else base


def _module_method(kinds: Kinds, call: ast.Call, block: Block, base: Value, name: str) -> Value:
    if name in RETURN_SELF:
        return base
    if name in ("parameters", "buffers"):
        return Value(Kind.CONTAINER, element=Value(Kind.TENSOR, kinds.device, True, Origin.PARAMETER))
    if name == "state_dict":
        return Value(Kind.CONTAINER, element=Value(Kind.TENSOR, kinds.device, False, Origin.PARAMETER))
    if _CLASS_NAME.match(name):
        return Value(Kind.MODULE, confidence=0.8)  # what looks like a module is a table of classes, or of files
    attribute = kinds.of(call.func, block)
    if attribute.kind is not Kind.MODULE and not COMPUTING_METHOD.search(name):
        return UNKNOWN
    loss = attribute.loss_function or bool(CRITERION_NAME.search(name))
    return output(kinds, call, block, _arguments(kinds, call, block), min(0.85, base.confidence), loss=loss)


_METHODS: Mapping[Kind, Callable[[Kinds, ast.Call, Block, Value, str], Value]] = {
    Kind.TENSOR: _tensor_method,
    Kind.MODULE: _module_method,
    Kind.CONTAINER: _container_method,
    Kind.ARRAY: array_method,
    Kind.STRING: _plain_method,
    Kind.NUMBER: _plain_method,
    Kind.LOADER: _loader_method,
    Kind.SCALER: _scaler_method,
    Kind.OPTIMIZER: _optimizer_method,
    Kind.SCHEDULER: _optimizer_method,
    Kind.STREAM: _optimizer_method,
}
"""What a method of each kind of value returns."""


def _called(kinds: Kinds, call: ast.Call, block: Block, name: str) -> Value:
    """The result of calling a value: a module, an instance of a class, or something only its name describes."""
    known = _loader_or_wrapper(call, name)
    if known is not None:
        return known
    if isinstance(call.func, ast.Name):
        cls = kinds.graph.class_named(call.func, block)
        if cls is not None:
            return tuple_of(kinds, cls, call, block) or object_of(kinds, cls)
    if loaders.moves_batches(name):
        return _MOVING_LOADER
    called = kinds.of(call.func, block) if isinstance(call.func, _MAY_HOLD_MODULE) else UNKNOWN
    if called.kind is Kind.MODULE:
        if _CLASS_NAME.match(name) and not isinstance(call.func, ast.Call):
            return Value(Kind.MODULE, confidence=0.8)  # a class that was handed over
        given = _arguments(kinds, call, block)
        return output(kinds, call, block, given, called.confidence, loss=called.loss_function)
    if CRITERION_NAME.search(name) and call.args and _is_given_tensor(kinds, call, block):
        return output(kinds, call, block, _arguments(kinds, call, block), 0.75, loss=True)
    return UNKNOWN
