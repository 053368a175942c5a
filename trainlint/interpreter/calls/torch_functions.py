"""Functions of torch that make, combine and ask tensors."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Final

from trainlint.analysis.tables.file_words.devices import DEFAULT_PLACES
from trainlint.analysis.tables.waits.checked_results import CHECKED
from trainlint.interpreter.calls.number_arguments import tell_numbers
from trainlint.interpreter.calls.places import place_of
from trainlint.interpreter.calls.transfers import moved
from trainlint.interpreter.libraries.tensors import (
    ANSWERING,
    BY_SIZE_OR_DATA,
    FACTORIES,
    FROM_DATA,
    HOST_ANSWERS,
    KEEP_MASK,
    MASKS,
    NO_VALUE_FUNCTIONS,
    ONE_WITHOUT_ARGUMENTS,
    PLAIN_FUNCTIONS,
    SEVERAL,
    SIZED,
    WITHOUT_TENSORS,
)
from trainlint.interpreter.machine.events import Happening
from trainlint.interpreter.machine.frame import Arguments, Frame
from trainlint.interpreter.machine.run import Run
from trainlint.interpreter.text import text
from trainlint.interpreter.values.callables import Made
from trainlint.interpreter.values.kinds import (
    PLAIN,
    UNKNOWN,
    Array,
    Device,
    Items,
    Mapping_,
    Place,
    Plain,
    Source,
    Tensor,
    Unknown,
)
from trainlint.interpreter.values.value import Value

_ARRAY_KEEPERS: Final = frozenset({"where", "cat", "stack", "clone", "pad", "pad_sequence"})
_ANSWERS: Final = ANSWERING | PLAIN_FUNCTIONS
_OF_SIZES: Final = frozenset({"zeros", "ones", "empty", "rand", "randn"})
_SAME_MEMORY: Final = frozenset({"tensor", "as_tensor", "asarray", "from_numpy"})


def torch_function(run: Run, name: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Value:
    """Call a function of torch by its dotted name."""
    last = name.rpartition(".")[2]
    args = arguments.args
    tell_numbers(run, last, name, arguments, node)
    if last in FACTORIES or _draws_alone(last, arguments):
        return _factory(run, name, last, arguments, node, frame)
    if last in FROM_DATA:
        return _from_data(run, name, last, arguments, node, frame)
    _tell_waits(run, last, arguments, node)
    if name in CHECKED and args:
        run.reads(node, args[0], Happening.CHECKED, f"`{name}`", structures=True)
    if last in DEFAULT_PLACES and args:
        _set_default_place(run, args[0])
    if last in _ANSWERS or HOST_ANSWERS.search(last):
        return PLAIN
    if last in NO_VALUE_FUNCTIONS or WITHOUT_TENSORS.match(name):
        return UNKNOWN
    if last.endswith("_like"):
        return _like(last, arguments, node, frame)
    if name.startswith("torch.autograd.grad"):
        return Items((Tensor(way=("a gradient",)),))
    return _made_or_wrapped(name, last, args) or combined(arguments, last)


def _draws_alone(last: str, arguments: Arguments) -> bool:
    """Whether `torch.normal` is given no tensor that says where to draw."""
    return last == "normal" and not any(isinstance(value, Tensor) for value in arguments.values)


def _set_default_place(run: Run, first: Value) -> None:
    """`torch.set_default_device(device)`, or `torch.set_default_tensor_type("torch.cuda.FloatTensor")`."""
    of_host = isinstance(first, Plain) and first.text is not None and "cuda" not in first.text
    run.default_place = None if of_host else place_of(first)


def _made_or_wrapped(name: str, last: str, args: Sequence[Value]) -> Value | None:
    """What makes a thing other than a tensor, or passes a function through; None for the rest."""
    match last:
        case "device":
            return Device((place_of(args[0]) if args else None) or "device")
        case "Event" | "Stream":
            return Made(name)
        case "vmap" | "compile":
            return args[0] if args else UNKNOWN
    return None


def _tell_waits(run: Run, last: str, arguments: Arguments, node: ast.AST) -> None:
    args = arguments.args
    target = next((value for value in args if isinstance(value, Tensor)), None)
    if target is not None and target.place in ("device", "unknown"):
        if last in ANSWERING:
            run.tell(node, Happening.ANSWER, f"`torch.{last}`", target)
        elif last in SIZED:
            run.tell(node, Happening.SIZED, f"`torch.{last}`", target)
    tell = _SIZED_WITHOUT.get(last)
    if tell is not None:
        tell(run, arguments, node)


def _where(run: Run, arguments: Arguments, node: ast.AST) -> None:
    only = arguments.args[0] if len(arguments.args) == 1 and not arguments.named else None
    if isinstance(only, Tensor) and only.place == "device":
        run.tell(node, Happening.SIZED, "`torch.where` of one argument", only)


def _repeat_interleave(run: Run, arguments: Arguments, node: ast.AST) -> None:
    if len(arguments.args) > 1 and "output_size" not in arguments.named:
        what = "`torch.repeat_interleave` without `output_size`"
        run.reads(node, arguments.args[1], Happening.SIZED, what, structures=True)


def _one_hot(run: Run, arguments: Arguments, node: ast.AST) -> None:
    if len(arguments.args) == 1 and "num_classes" not in arguments.named:
        what = "`one_hot` without `num_classes`"
        run.reads(node, arguments.args[0], Happening.SIZED, what, structures=True)


_SIZED_WITHOUT: Final[dict[str, Callable[[Run, Arguments, ast.AST], None]]] = {
    "where": _where,
    "repeat_interleave": _repeat_interleave,
    "one_hot": _one_hot,
}
"""Functions that wait to know how large their result is where an argument is missing."""


def _made_at(last: str, node: ast.AST, frame: Frame) -> tuple[str, ...]:
    return (f"torch.{last} at {frame.module.path}:{getattr(node, 'lineno', 0)}",)


def _given_place(name: str, arguments: Arguments) -> Place | None:
    """Where a function of torch makes its result; None where nothing names a place."""
    if name.startswith("torch.cuda."):
        return "device"
    if "device" in arguments.named:
        return place_of(arguments.named["device"])
    pins = arguments.named.get("pin_memory")
    return "pinned" if isinstance(pins, Plain) and pins.constant is True else None


def _place_to_be(run: Run, name: str, last: str, arguments: Arguments) -> Place | None:
    """Where a function makes its result, by what it is given or by default; None where nothing says so."""
    given = _given_place(name, arguments)
    return given or (None if last == "from_numpy" else run.default_place)


def _is_empty(value: Value) -> bool:
    """Whether a size or data are those of an empty tensor, of which nothing is copied."""
    if isinstance(value, Items):
        return value.fixed and (not value.parts or any(map(_is_empty, value.parts)))
    return isinstance(value, Plain) and value.constant == 0 and value.constant is not False


def _dtype(node: ast.AST) -> str:
    keywords = node.keywords if isinstance(node, ast.Call) else []
    return next((text(keyword.value) for keyword in keywords if keyword.arg == "dtype"), "")


def _factory(run: Run, name: str, last: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Tensor:
    """A tensor of a size, on the host where no device is named."""
    place = _place_to_be(run, name, last, arguments)
    if place is None and last in _OF_SIZES and any(map(_is_empty, arguments.args)):
        place = "unknown"
    mask = True if "bool" in _dtype(node) else None
    source: Source = "" if place in ("device", "unknown") else "factory"
    return Tensor(place or "host", mask, source=source, way=_made_at(last, node, frame))


def _from_data(run: Run, name: str, last: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Tensor:
    """A tensor from numbers, a list, an array or another tensor."""
    place = _place_to_be(run, name, last, arguments)
    data = arguments.get(0, "data") or UNKNOWN
    if place is None and isinstance(data, Items) and _is_empty(data):
        place = "unknown"
    if isinstance(data, Tensor) and last in _SAME_MEMORY:
        return data if place is None or place == data.place else moved(run, data, place, node, f"`torch.{last}`")
    if isinstance(data, Items) and last in ("tensor", "as_tensor"):
        _tell_scalars(run, last, data, node)
    source = _source(run, last, data)
    made = Tensor(
        place or "host", True if last == "BoolTensor" else None, source=source, way=_made_at(last, node, frame)
    )
    if place == "device" and _copies(last, source, data):
        run.tell(node, Happening.DATA_COPY, f"`torch.{last}`", made)
    return made


def _tell_scalars(run: Run, last: str, data: Items, node: ast.AST) -> None:
    scalar = next((part for part in data.parts if _on_device(part)), None)
    if scalar is not None:
        run.tell(node, Happening.SCALARS_TO_TENSOR, f"`torch.{last}`", scalar)


def _on_device(value: Value) -> bool:
    return isinstance(value, Tensor) and value.place == "device" and not value.container


def _source(run: Run, last: str, data: Value) -> Source:
    if data.read in run.observed:
        return "observed"
    if isinstance(data, Array) or last == "from_numpy":
        return "array"
    if isinstance(data, Plain):
        return "factory" if last in BY_SIZE_OR_DATA else "number"
    return "data"


def _copies(last: str, source: Source, data: Value) -> bool:
    """Whether numbers or an array of the host are copied to the device."""
    if source in ("array", "observed") or (last == "tensor" and isinstance(data, Unknown)):
        return True  # nobody makes a tensor of a tensor so
    return last in ("tensor", "as_tensor") and (source == "number" or isinstance(data, Items))


def _like(last: str, arguments: Arguments, node: ast.AST, frame: Frame) -> Tensor:
    """`torch.zeros_like` and its kin: where the other tensor is."""
    base = arguments.args[0] if arguments.args else UNKNOWN
    known = base if isinstance(base, Tensor) else None
    place = place_of(arguments.named["device"]) if "device" in arguments.named else known.place if known else "unknown"
    mask = "bool" in text(node) if "dtype" in arguments.named else known.mask if known else None
    return Tensor(place or "unknown", mask, way=_made_at(last, node, frame))


def combined(arguments: Arguments, last: str) -> Tensor:
    """The result of a function of tensors: on the device if one of them is."""
    tensors = [tensor for value in arguments.values for tensor in _tensors(value)]
    if not tensors:
        return Tensor("unknown", True if last in MASKS else None, last in SEVERAL)
    main = next((one for one in tensors if one.place == "device"), None)
    main = main or next((one for one in tensors if one.place == "unknown"), tensors[0])
    rows = last == "where" and len(arguments.values) == 1  # of one argument it gives the rows where that holds
    mask = False if rows else _mask(last, tensors)
    source = _source_of_result(last, main, tensors) if main.place == "host" else ""
    several = rows or _gives_several(last, arguments)
    return Tensor(main.place, mask, several, source, main.way, makings=main.makings)


def _gives_several(last: str, arguments: Arguments) -> bool:
    return last in SEVERAL and (len(arguments.values) > 1 or last not in ONE_WITHOUT_ARGUMENTS)


def _source_of_result(last: str, main: Tensor, tensors: list[Tensor]) -> Source:
    """What the host made a result from: what is computed from factories alone, the device could have made."""
    if all(one.source == "factory" for one in tensors) or last in _ARRAY_KEEPERS or last in KEEP_MASK:
        return main.source
    return ""


def _mask(last: str, tensors: list[Tensor]) -> bool | None:
    """Whether a function of tensors gives a mask: always, where it is given masks alone, or never."""
    if last in MASKS:
        return True
    if last in KEEP_MASK:
        return True if all(one.mask for one in tensors) else None
    return False


def _tensors(value: Value) -> list[Tensor]:
    match value:
        case Tensor():
            return [value]
        case Items():
            return [part for part in value.parts if isinstance(part, Tensor)]
        case Mapping_():
            return [part for part in value.items.values() if isinstance(part, Tensor)]
    return []
